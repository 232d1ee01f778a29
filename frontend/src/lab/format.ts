/** Figures as the lab writes them. */

import { percent } from "../format/money";

const MINUS = "−";

function signed(text: string): string {
  return text.replace("-", MINUS);
}

export function edge(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : percent(value, 4);
}

export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : percent(value, 3);
}

export function fixed(value: number | null | undefined, digits: number): string {
  return value === null || value === undefined ? "–" : signed(value.toFixed(digits));
}

export function probability(value: number | null | undefined): string {
  return fixed(value, 6);
}

/** Whole numbers of any length with thousands separators. */
export function whole(value: string | number | bigint | null | undefined): string {
  if (value === null || value === undefined) return "–";
  const text = String(value);
  return /^\d+$/.test(text) ? text.replace(/\B(?=(\d{3})+$)/g, ",") : text;
}

/** About how many: 1.2 million. */
export function about(value: number): string {
  if (value >= 1e9) return `${(value / 1e9).toFixed(value >= 1e10 ? 0 : 1)} billion`;
  if (value >= 1e6) return `${(value / 1e6).toFixed(value >= 1e7 ? 0 : 1)} million`;
  return whole(Math.round(value));
}

/** Short, for the marks of an axis: 2 M. */
export function short(value: number): string {
  const written = (n: number): string => String(Number(n.toPrecision(3)));
  if (value >= 1e9) return `${written(value / 1e9)} G`;
  if (value >= 1e6) return `${written(value / 1e6)} M`;
  if (value >= 1e3) return `${written(value / 1e3)} k`;
  return written(value);
}

/** A step of a percentage axis: as many digits as tell its marks apart. */
export function axisPercent(values: readonly number[]): (value: number) => string {
  const step = values.length > 1 ? Math.abs((values[1] ?? 0) - (values[0] ?? 0)) * 100 : 1;
  const digits = Math.max(0, Math.min(4, Math.ceil(-Math.log10(step || 1) - 1e-9)));
  return (value) => `${signed((value * 100).toFixed(digits)).replace(/^−(0(\.0+)?)$/, "$1")} %`;
}

/** Deck counts in words: all from the first to the last, or just those that there are. */
export function deckCounts(decks: readonly number[]): string {
  const first = decks[0] ?? 0;
  const last = decks.at(-1) ?? 0;
  if (decks.length > 2 && last - first === decks.length - 1) return `${first} to ${last} decks`;
  return `${decks.length > 1 ? `${decks.slice(0, -1).join(", ")} or ${last}` : first} ${last === 1 ? "deck" : "decks"}`;
}
