import { describe, expect, it } from "vitest";
import { readNumber, typedCents } from "./numbers";

const NONE = [
  "-5",
  "−5",
  "",
  " ",
  "abc",
  "1e99",
  "1e3",
  "0x10",
  "NaN",
  "Infinity",
  "1,5",
  "1_000",
  "٣",
  "9".repeat(40),
];

describe("numbers that people type", () => {
  it.each(NONE)("%s is none, and what may be written is said", (text) => {
    expect(readNumber(text, { least: 1, most: 1_000_000_000 })).toEqual({
      value: null,
      why: "Write a whole number from 1 to 1,000,000,000",
    });
    expect(readNumber(text, { least: 1, most: 50_000, cents: true })).toEqual({
      value: null,
      why: "Write an amount from 0.01 to 500",
    });
    expect(readNumber(text, { least: 1, cents: true })).toEqual({
      value: null,
      why: "Write an amount of 0.01 or more, in figures",
    });
  });
  it("are whole, but for amounts of money, which go to the cent", () => {
    expect(readNumber("1.5", { least: 1, most: 7 }).value).toBeNull();
    expect(readNumber("1.5", { least: 1, most: 700, cents: true }).value).toBe(150);
    expect(readNumber("1.555", { least: 1, most: 700, cents: true }).value).toBeNull();
  });
  it("keep to their bounds", () => {
    expect([0, 1, 7, 8].map((one) => readNumber(String(one), { least: 1, most: 7 }).value)).toEqual([null, 1, 7, null]);
    expect(readNumber("0", { least: 1, cents: true }).value).toBeNull();
  });
  it("may be grouped by thousands", () => {
    expect(
      [" 1,000,000 ", "1 000 000", "1000000"].map((text) => readNumber(text, { least: 1, most: 1_000_000_000 }).value),
    ).toEqual([1_000_000, 1_000_000, 1_000_000]);
    expect(typedCents(123_450)).toBe("1234.5");
  });
});
