import { describe, expect, it } from "vitest";
import { byLine } from "./draft";

describe("errors of a sheet", () => {
  it("stand by their lines, the others above all", () => {
    const found = byLine(
      [
        { line: 2, what: "a" },
        { line: null, what: "b" },
        { line: 2, what: "c" },
        { line: 9, what: "d" },
      ],
      5,
    );
    expect([...found]).toEqual([
      [2, ["a", "c"]],
      [0, ["b", "d"]],
    ]);
  });
});
