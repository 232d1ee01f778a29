import { describe, expect, it } from "vitest";
import { arc, columns, formOf, grid, handsOf, heightOf, keys, LARGE, SMALL, SPOT_WIDTH, spread } from "./layout";

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
  it("keeps a hand about its middle, in rows where one is too short", () => {
    expect(spread(0, 100, LARGE)).toEqual([]);
    expect(spread(2, 152, LARGE)).toEqual([
      { x: -36, y: 0 },
      { x: -10, y: 0 },
    ]);
    expect(formOf([6], 240, 1)).toBe(LARGE);
    expect(formOf([12], 240, 1)).toBe(SMALL);
    expect(heightOf(8, 35, SMALL)).toBe(26 + 7 * 17);
  });
  it.each([1, 2, 3, 4].flatMap((hands) => [SPOT_WIDTH, 230].map((width) => [hands, width] as const)))(
    "leaves every index in sight: %i hands on %i",
    (hands, width) => {
      for (let most = 2; most <= 21; most += 1) {
        const counts = Array.from({ length: hands }, (_, place) => Math.max(2, most - place));
        const { places, form, above } = handsOf(counts, width);
        const cards = counts.flatMap((count, hand) =>
          spread(count, places[hand]?.width ?? 0, form).map(({ x, y }) => ({ x: x + (places[hand]?.x ?? 0), y })),
        );
        const index =
          form === LARGE ? { left: 4, right: 22, top: 5, bottom: 37 } : { left: 2, right: 33, top: 3, bottom: 16 };
        cards.forEach((card, at) => {
          for (const other of cards.slice(at + 1)) {
            const beside = other.x >= card.x + index.right || other.x + form.width <= card.x + index.left;
            const below = other.y >= card.y + index.bottom || other.y + form.height <= card.y + index.top;
            expect(beside || below, `${counts.join(",")}: card ${at}`).toBe(true);
          }
          expect(card.y).toBeGreaterThanOrEqual(-above);
        });
      }
    },
  );
  it("lays hands beside each other", () => {
    expect(columns(2, 100)).toEqual([
      { x: -25, width: 46 },
      { x: 25, width: 46 },
    ]);
    expect(keys("spot", 2, { hand: 1, cards: ["Ac"], total: 11, soft: true, how: "", doubled: false })).toEqual([
      "spot.2.1.0",
    ]);
  });
});
