/** Where things lie on the felt, in units of its drawing. */

import { cardKey } from "./beats";
import type { HandView } from "../api/table";

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
export function arc(
  count: number,
  shape: { cx: number; cy: number; rx: number; ry: number; from: number; to: number },
): Point[] {
  const step = count > 1 ? (shape.to - shape.from) / (count - 1) : 0;
  const first = count > 1 ? shape.from : (shape.from + shape.to) / 2;
  return Array.from({ length: count }, (_, place) => {
    const angle = ((first + place * step) * Math.PI) / 180;
    return {
      x: Math.round(shape.cx + shape.rx * Math.cos(angle)),
      y: Math.round(shape.cy + shape.ry * Math.sin(angle)),
    };
  });
}

/** Rows and columns of boxes, the last row in the middle. */
export function grid(count: number, columns: number, box: Box, gap: number): Box[] {
  const width = (box.width - gap * (columns - 1)) / columns;
  return Array.from({ length: count }, (_, place) => {
    const row = Math.floor(place / columns);
    const inRow = Math.min(columns, count - row * columns);
    const spare = ((columns - inRow) * (width + gap)) / 2;
    return {
      x: box.x + spare + (place % columns) * (width + gap),
      y: box.y + row * (box.height + gap),
      width,
      height: box.height,
    };
  });
}

/** How cards of a hand are drawn: so large, and so far apart that the index of each stays in sight. */
export interface Form {
  width: number;
  height: number;
  across: number; // from a card to the next of its row, at least
  apart: number; // and at most
  down: number; // from a row to the next
}
export const LARGE: Form = { ...CARD, across: 23, apart: 26, down: 38 };
/** Rank and suit in one line: for hands that share too little room for large cards. */
export const SMALL: Form = { width: 37, height: 26, across: 37, apart: 37, down: 17 };

function inRow(form: Form, width: number): number {
  return Math.max(1, Math.floor((width - form.width) / form.across) + 1);
}

function rows(count: number, width: number, form: Form): number {
  return Math.max(1, Math.ceil(count / inRow(form, width)));
}

/** The form in which hands with so many cards, each as wide as this, take no more rows than there is room for. */
export function formOf(counts: number[], width: number, most: number): Form {
  return counts.every((count) => rows(count, width, LARGE) <= most) ? LARGE : SMALL;
}

/** How far a hand reaches up, from the lower edge of its last row. */
export function heightOf(count: number, width: number, form: Form): number {
  return form.height + (rows(count, width, form) - 1) * form.down;
}

/** The upper left corners of a hand's cards, about its middle; the last row ends where a single large card would. */
export function spread(count: number, width: number, form: Form): Point[] {
  const lines = rows(count, width, form);
  const each = Math.ceil(count / lines);
  const step = each > 1 ? Math.min(form.apart, (width - form.width) / (each - 1)) : 0;
  const whole = form.width + step * (each - 1);
  return Array.from({ length: count }, (_, place) => {
    const row = Math.floor(place / each);
    return { x: (place - row * each) * step - whole / 2, y: CARD.height - form.height - (lines - 1 - row) * form.down };
  });
}

/** The hands of a spot: where each lies, how cards are drawn, and how far they reach up beyond a single large card. */
export function handsOf(
  counts: number[],
  width: number,
): { places: { x: number; width: number }[]; form: Form; above: number } {
  const places = columns(counts.length, width);
  const each = places[0]?.width ?? width;
  const form = formOf(counts, each, 2);
  const highest = Math.max(0, ...counts.map((count) => heightOf(count, each, form)));
  return { places, form, above: Math.max(0, highest - CARD.height) };
}

export const SPOT_WIDTH = 156;
/** The upper edge of a spot's side wagers, of which two stand in a row above the main wager. */
export function topOf(sides: number): number {
  return -36 - Math.ceil(sides / 2) * 44;
}
/** Where the cards of a spot with so many side wagers begin. */
export function cardsOf(sides: number): number {
  return topOf(sides) - 78;
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
