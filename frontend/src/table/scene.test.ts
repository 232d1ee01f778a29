import { describe, expect, it } from "vitest";
import { seatsOf } from "./scene";

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
