/** A step's events as beats: what is shown one after the other. The end of it all is the server's, and known from the start. */

import type { CardDealt, Now, RoundView, TableEvent } from "../api/table";

export type Beat =
  | { kind: "card"; key: string; spot: number; pause: number }
  | { kind: "turn"; key: string; spot: number; pause: number }
  | { kind: "settle"; key: string; spot: number; pause: number };

const CARD_PAUSE = 260;
const TURN_PAUSE = 420;
const SETTLE_PAUSE = 110;

/** The name of a card's place: who has it, which spot and hand, and how many lie before it. */
export function cardKey(to: string, spot: number, hand: number, place: number): string {
  return `${to}.${spot}.${hand}.${place}`;
}

export function betKey(bet: number): string {
  return `bet.${bet}`;
}

function length(round: RoundView, to: string, spot: number, hand: number): number {
  if (to === "dealer") return round.dealer?.cards.length ?? 0;
  if (to === "player") return round.player?.cards.length ?? 0;
  if (to === "banker") return round.banker?.cards.length ?? 0;
  return round.spots[String(spot)]?.find((one) => one.hand === hand)?.cards.length ?? 0;
}

/** What a step shows, in order. Cards that a step dealt are the last of the hand that they went to. */
export function beats(events: TableEvent[], after: Now): Beat[] {
  const round = after.round;
  if (!round) return [];
  const dealt = events.filter((event) => event.event === "card");
  const left = new Map<string, number>();
  const hand = (event: CardDealt): string => `${event.to}.${event.spot ?? 0}.${event.hand ?? 0}`;
  for (const event of dealt) left.set(hand(event), (left.get(hand(event)) ?? 0) + 1);
  const found: Beat[] = [];
  for (const event of events) {
    if (event.event === "card") {
      const spot = event.spot ?? 0;
      const behind = left.get(hand(event)) ?? 1;
      left.set(hand(event), behind - 1);
      const place = length(round, event.to, spot, event.hand ?? 0) - behind;
      found.push({ kind: "card", key: cardKey(event.to, spot, event.hand ?? 0, place), spot, pause: CARD_PAUSE });
    } else if (event.event === "hole") {
      found.push({ kind: "turn", key: cardKey("dealer", 0, 0, 1), spot: 0, pause: TURN_PAUSE });
    } else if (event.event === "settled") {
      found.push({
        kind: "settle",
        key: betKey(event.bet),
        spot: event.spot,
        pause: event.taken ? CARD_PAUSE : SETTLE_PAUSE,
      });
    }
  }
  return found;
}

/** What is still to be shown, by the kind of it. */
export interface Hidden {
  cards: Set<string>;
  turned: Set<string>;
  bets: Set<string>;
}

export function hiddenBy(queue: Beat[]): Hidden {
  const of = (kind: Beat["kind"]): Set<string> =>
    new Set(queue.filter((beat) => beat.kind === kind).map((beat) => beat.key));
  return { cards: of("card"), turned: of("turn"), bets: of("settle") };
}
