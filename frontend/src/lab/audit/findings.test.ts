import { describe, expect, it } from "vitest";
import { apart, apartText, computed, tone } from "./findings";

describe("findings", () => {
  it("say how far computed and printed are apart", () => {
    expect(apartText({ claimed: 0.0971, computed: [0.09719, 0.09719] })).toBe("+0.009");
    expect(apartText({ claimed: 0.0877, computed: [0.08749, 0.08749] })).toBe("−0.021");
    expect(apart({ claimed: 0.02, computed: [0.0192, 0.0208] })).toBe(0);
    expect(apartText({ claimed: 0.0903, computed: [0.0903000001, 0.0903000001] })).toBe("0.000");
  });
  it("tell a figure or a range", () => {
    expect(computed([0.09719, 0.09719])).toBe("9.719 %");
    expect(computed([0.0192, 0.0208])).toBe("1.920 % to 2.080 %");
  });
  it("have a colour each", () => {
    expect(["holds", "holds within the noise of a simulation", "does not follow from the sheet"].map(tone)).toEqual([
      "good",
      "warn",
      "bad",
    ]);
  });
});
