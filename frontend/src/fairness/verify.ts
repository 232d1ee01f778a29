/** Checking a shoe that is over, by the recipe in docs/fairness.md. It decides nothing: the cards were dealt long before. */

import { shake256 } from "./shake256";
import type { ShoeAnswer, StepLine } from "../api/table";

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** The SHA-256 of a shoe's secret as it was written down. */
export async function commitment(
  shoe: Pick<ShoeAnswer, "id" | "decks" | "burn" | "behind_cut">,
  order: string,
  reserve: string,
): Promise<string> {
  const text = `shoe ${shoe.id}\ndecks ${shoe.decks}\nburn ${shoe.burn}\nbehind_cut ${shoe.behind_cut}\norder ${order}\nreserve ${reserve}\n`;
  return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", encode(text))));
}

export function factorial(count: number): bigint {
  let product = 1n;
  for (let factor = 2; factor <= count; factor += 1) product *= BigInt(factor);
  return product;
}

/** Cards in the order that a number stands for. */
export function shuffle(cards: string[], number: bigint): string[] {
  const mixed = [...cards];
  let rest = number;
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const place = Number(rest % BigInt(last + 1));
    rest /= BigInt(last + 1);
    [mixed[last], mixed[place]] = [mixed[place] ?? "", mixed[last] ?? ""];
  }
  return mixed;
}

/** The whole shoe, first card first. */
export function wholeShoe(decks: number, order: string, seeds: string[]): string[] {
  const orders = factorial(52 * decks);
  let number = BigInt(`0x${order}`);
  if (seeds.length) {
    const bits = orders.toString(2).length;
    const digest = shake256(encode(seeds.map((seed) => `${seed}\n`).join("")), Math.floor(bits / 8) + 9);
    number += BigInt(`0x${hex(digest)}`);
  }
  const fresh = [..."A23456789TJQK"].flatMap((rank) =>
    [..."cdhs"].flatMap((suit) => Array.from({ length: decks }, () => rank + suit)),
  );
  return shuffle(fresh, number % orders);
}

/** What is looked at of a round. */
interface Dealt {
  steps: Pick<StepLine, "events">[];
}

/** The cards of a round as they were dealt; one that was never turned over is `--`. */
export function dealt(round: Dealt): string[] {
  const cards: string[] = [];
  for (const event of round.steps.flatMap((step) => step.events)) {
    if (event.event === "card") cards.push(event.card);
    else if (event.event === "hole") cards[cards.lastIndexOf("--")] = event.card;
  }
  return cards;
}

export interface Verdict {
  commitment: boolean;
  cards: number; // that were dealt and seen, and are those of the shoe
  unseen: number; // that nobody ever saw
  wrong: { round: string; place: number; dealt: string; shoe: string } | null;
}

/** Is a shoe what was promised, and did its rounds get its cards? */
export async function verify(shoe: ShoeAnswer, rounds: (Dealt & { id: string })[]): Promise<Verdict> {
  if (shoe.order === null || shoe.reserve === null) throw new Error("the secret of this shoe is not published yet");
  const verdict: Verdict = {
    commitment: (await commitment(shoe, shoe.order, shoe.reserve)) === shoe.commitment,
    cards: 0,
    unseen: 0,
    wrong: null,
  };
  const whole = wholeShoe(
    shoe.decks,
    shoe.order,
    shoe.seeds.map(([, seed]) => seed),
  );
  let place = shoe.burn;
  for (const round of rounds) {
    const began = place;
    for (const card of dealt(round)) {
      if (place === 52 * shoe.decks) whole.push(...shuffle(whole.slice(0, began), BigInt(`0x${shoe.reserve}`)));
      const expected = whole[place] ?? "none";
      if (card === "--") verdict.unseen += 1;
      else if (card === expected) verdict.cards += 1;
      else verdict.wrong ??= { round: round.id, place: place + 1, dealt: card, shoe: expected };
      place += 1;
    }
  }
  return verdict;
}
