import { describe, expect, it } from "vitest";
import { isFree, seatsOf } from "./scene";

describe("a spot", () => {
  it("is free if nobody has it, or nobody plays it", () => {
    const seats = [{ spots: [1, 2, 3], kept: { "1": 500, "2": 900 } }];
    const free = (at: number): number[] => [1, 2, 3, 4].filter((spot) => isFree(spot, seats, at));
    expect(free(500)).toEqual([4]);
    expect(free(501)).toEqual([1, 4]);
    expect(free(9999)).toEqual([1, 2, 4]); // spot 3 is in play
  });
});

describe("seats of a round", () => {
  it("are those who had wagers, each with all their spots once", () => {
    const bets = [
      { player: "Ada", spot: 3 },
      { player: "Bob", spot: 2 },
      { player: "Ada", spot: 1 },
      { player: "Ada", spot: 3 },
    ];
    expect(seatsOf(bets).map(({ name, spots }) => [name, spots])).toEqual([
      ["Ada", [1, 3]],
      ["Bob", [2]],
    ]);
  });
});
