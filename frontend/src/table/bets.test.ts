import { describe, expect, it } from "vitest";
import { bare, changed, doubled, put, refusal, total, why } from "./bets";
import type { WagerAbout } from "../api/table";

const main: WagerAbout = {
  id: "main",
  name: "Blackjack",
  base: true,
  placed: ["before-deal"],
  least: 500,
  most: 10_000,
  lines: [],
};

describe("chips before the deal", () => {
  it("are laid and taken back", () => {
    const laid = put(put({}, 3, "main", 500), 3, "tie", 200);
    expect(laid).toEqual({ 3: { main: 500, tie: 200 } });
    expect(put(laid, 3, "tie", 0)).toEqual({ 3: { main: 500 } });
    expect(total(laid)).toBe(700);
    expect(doubled(laid)).toEqual({ 3: { main: 1000, tie: 400 } });
  });
  it("stay within limits, and say why", () => {
    expect(why(main, 100)).toBe("Blackjack takes 5 or more");
    expect(why(main, 20_000)).toBe("Blackjack takes 100 at most");
    expect(why(main, 500)).toBe("");
    expect(refusal({ 3: { main: 600 } }, [main], 500)).toBe("You have 5 at the table, and that would be 6");
    expect(refusal({ 3: { other: 600 } }, [main], 500)).toBe("other is not offered here");
  });
  it("know which spots changed", () => {
    expect(changed({ 1: { main: 5 }, 2: {} }, { 1: { main: 5 }, 2: { main: 5 } })).toEqual([2]);
    expect(changed(bare([1, 2]), {})).toEqual([]);
  });
});
