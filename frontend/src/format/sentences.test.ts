import { describe, expect, it } from "vitest";
import { count, ended } from "./sentences";

describe("sentences", () => {
  it("end once", () => {
    expect(["the name is taken", "is the clock right?", "Not started."].map(ended)).toEqual([
      "the name is taken.",
      "is the clock right?",
      "Not started.",
    ]);
  });
  it("count one and many", () => {
    expect([count(1, "minute"), count(0, "minute"), count(1440, "minute")]).toEqual([
      "1 minute",
      "0 minutes",
      "1,440 minutes",
    ]);
  });
});
