import { describe, expect, it } from "vitest";
import { arc, columns, fan, grid, keys } from "./layout";

describe("the felt", () => {
  it("has the first spot at the right and the middle one at the bottom", () => {
    const spots = arc(7, { cx: 550, cy: 210, rx: 470, ry: 330, from: 15, to: 165 });
    expect(spots[0]?.x).toBeGreaterThan(spots[6]?.x ?? 0);
    expect(spots[3]).toEqual({ x: 550, y: 540 });
    expect(arc(1, { cx: 0, cy: 0, rx: 10, ry: 10, from: 0, to: 180 })).toEqual([{ x: 0, y: 10 }]);
  });
  it("puts a last row in the middle", () => {
    const boxes = grid(4, 3, { x: 0, y: 0, width: 320, height: 50 }, 10);
    expect(boxes.map((box) => [box.x, box.y, box.width])).toEqual([
      [0, 0, 100],
      [110, 0, 100],
      [220, 0, 100],
      [110, 60, 100],
    ]);
  });
  it("keeps a hand within its width", () => {
    expect(fan(0, 100)).toEqual([]);
    expect(fan(2, 100)).toEqual([-36, -10]);
    const many = fan(9, 110);
    expect((many[8] ?? 0) + 46 - (many[0] ?? 0)).toBeCloseTo(110);
  });
  it("lays hands beside each other", () => {
    expect(columns(2, 100)).toEqual([
      { x: -25, width: 46 },
      { x: 25, width: 46 },
    ]);
    expect(keys("spot", 2, { hand: 1, cards: ["Ac"], total: 11, soft: true, how: "", doubled: false })).toEqual(["spot.2.1.0"]);
  });
});
