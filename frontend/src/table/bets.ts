/** Chips that I lay before the deal: what may be laid, and steps back. Limits are the server's. */

import { money } from "../format/money";
import type { WagerAbout } from "../api/table";

/** Cents by wager, for each of my spots. */
export type Laid = Record<number, Record<string, number>>;

export function total(laid: Laid): number {
  return Object.values(laid).reduce((sum, bets) => sum + Object.values(bets).reduce((a, b) => a + b, 0), 0);
}

/** Why an amount cannot lie on a wager; empty if it can. */
export function why(wager: WagerAbout, amount: number): string {
  if (amount > 0 && amount < wager.least) return `${wager.name} takes ${money(wager.least)} or more`;
  if (amount > wager.most) return `${wager.name} takes ${money(wager.most)} at most`;
  return "";
}

/** The felt with one wager changed. */
export function put(laid: Laid, spot: number, wager: string, amount: number): Laid {
  const others = Object.entries(laid[spot] ?? {}).filter(([id]) => id !== wager);
  return { ...laid, [spot]: Object.fromEntries(amount > 0 ? [...others, [wager, amount]] : others) };
}

/** The whole felt at once; refused with the first reason against it. `chips` is all that I have, on the felt and beside it. */
export function refusal(laid: Laid, wagers: WagerAbout[], chips: number): string {
  for (const bets of Object.values(laid)) {
    for (const [id, amount] of Object.entries(bets)) {
      const wager = wagers.find((one) => one.id === id);
      const reason = wager ? why(wager, amount) : `${id} is not offered here`;
      if (reason) return reason;
    }
  }
  return total(laid) > chips ? `You have ${money(chips)} at the table, and that would be ${money(total(laid))}` : "";
}

/** Every wager times two. */
export function doubled(laid: Laid): Laid {
  return Object.fromEntries(
    Object.entries(laid).map(([spot, bets]) => [
      spot,
      Object.fromEntries(Object.entries(bets).map(([id, amount]) => [id, 2 * amount])),
    ]),
  );
}

/** The spots on which two felts differ. */
export function changed(before: Laid, after: Laid): number[] {
  const spots = new Set([...Object.keys(before), ...Object.keys(after)].map(Number));
  const text = (bets: Record<string, number> | undefined): string => JSON.stringify(Object.entries(bets ?? {}).sort());
  return [...spots].filter((spot) => text(before[spot]) !== text(after[spot])).sort((a, b) => a - b);
}

/** No wagers on the given spots. */
export function bare(spots: number[]): Laid {
  return Object.fromEntries(spots.map((spot) => [spot, {}]));
}
