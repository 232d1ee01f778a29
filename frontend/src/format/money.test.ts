import { describe, expect, it } from "vitest";
import { money, net, percent, stack } from "./money";

describe("money", () => {
  it("shows cents only where there are some", () => {
    expect([money(1000), money(1250), money(125_000_00), money(5)]).toEqual(["10", "12.50", "125,000", "0.05"]);
  });
  it("signs what was won and lost", () => {
    expect([net(500), net(-1250), net(0)]).toEqual(["+5", "−12.50", "0"]);
  });
  it("writes shares as percentages", () => {
    expect([percent(0.068813), percent(-1.57, 0)]).toEqual(["6.881 %", "−157 %"]);
  });
  it("makes stacks, the largest chip first", () => {
    expect(stack(63_600)).toEqual([50_000, 10_000, 2500, 500, 500, 100]);
    expect(stack(50)).toEqual([]);
  });
});
