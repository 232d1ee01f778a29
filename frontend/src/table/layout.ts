/** Where things lie on the felt, in units of its drawing. */

import { cardKey } from "./beats";
import type { HandView } from "./types";

export interface Point {
  x: number;
  y: number;
}

export interface Box extends Point {
  width: number;
  height: number;
}

export const CARD = { width: 46, height: 64 };

/** Points on an ellipse, the first at the right: so the dealer has the first spot at the left hand. */
export function arc(count: number, shape: { cx: number; cy: number; rx: number; ry: number; from: number; to: number }): Point[] {
  const step = count > 1 ? (shape.to - shape.from) / (count - 1) : 0;
  const first = count > 1 ? shape.from : (shape.from + shape.to) / 2;
  return Array.from({ length: count }, (_, place) => {
    const angle = ((first + place * step) * Math.PI) / 180;
    return { x: Math.round(shape.cx + shape.rx * Math.cos(angle)), y: Math.round(shape.cy + shape.ry * Math.sin(angle)) };
  });
}

/** Rows and columns of boxes, the last row in the middle. */
export function grid(count: number, columns: number, box: Box, gap: number): Box[] {
  const width = (box.width - gap * (columns - 1)) / columns;
  return Array.from({ length: count }, (_, place) => {
    const row = Math.floor(place / columns);
    const inRow = Math.min(columns, count - row * columns);
    const spare = ((columns - inRow) * (width + gap)) / 2;
    return { x: box.x + spare + (place % columns) * (width + gap), y: box.y + row * (box.height + gap), width, height: box.height };
  });
}

/** The left edges of cards of a hand that share a width, about its middle. */
export function fan(count: number, width: number): number[] {
  if (count === 0) return [];
  const step = count > 1 ? Math.min(26, (width - CARD.width) / (count - 1)) : 0;
  const whole = CARD.width + step * (count - 1);
  return Array.from({ length: count }, (_, place) => place * step - whole / 2);
}

/** Where the hands of a spot lie beside each other: the middle of each, and how wide it may be. */
export function columns(count: number, width: number): { x: number; width: number }[] {
  const each = width / Math.max(1, count);
  return Array.from({ length: count }, (_, place) => ({ x: (place + 0.5) * each - width / 2, width: each - 4 }));
}

/** Names of the cards of a hand, as they are shown one after the other. */
export function keys(to: string, spot: number, hand: HandView): string[] {
  return hand.cards.map((_, place) => cardKey(to, spot, hand.hand, place));
}
