/** What a felt is drawn from: a table in play, or a round that is seen again. */

import type { Hidden } from "./beats";
import type { About, BetView, Question, RoundView, SeatView, ShoeView, WagerAbout } from "../api/table";

/** What somebody at a table may do on its felt. */
export interface Player {
  readonly chip: number;
  readonly wished: number[]; // spots on which I want to sit down
  readonly seat: SeatView | null;
  lay(spot: number, wager: WagerAbout, by?: number): void;
  /** May I sit down there? */
  free(spot: number): boolean;
}

export interface Scene {
  readonly about: About | null;
  readonly now: { readonly shoe: Pick<ShoeView, "cards" | "dealt" | "behind_cut"> } | null;
  readonly round: RoundView | null;
  readonly bets: BetView[];
  readonly seats: Pick<SeatView, "name" | "spots" | "ready" | "away">[];
  readonly spots: number[]; // mine
  readonly focus: number;
  readonly looked: number; // a spot of somebody else that I look at; 0 for none
  readonly chosen: number;
  readonly waits: Question | null;
  readonly betting: boolean;
  readonly showing: boolean;
  readonly hidden: Hidden;
  readonly flown: Pick<Set<string>, "has">; // cards that were dealt while I looked
  readonly player: Player | null; // null where it is only looked at
  /** Choose a spot: to play it, or to look at it. */
  choose(spot: number): void;
}

/** Has nobody a spot, or nobody played it for as long as it is kept? The server says until when that is. */
export function isFree(spot: number, seats: Pick<SeatView, "spots" | "kept">[], at: number): boolean {
  const seat = seats.find((one) => one.spots.includes(spot));
  const until = seat?.kept[String(spot)];
  return !seat || (until !== undefined && until < at);
}

/** Who played a round, as its wagers say. */
export function seatsOf(bets: { player: string; spot: number }[]): SeatView[] {
  const names = [...new Set(bets.map((bet) => bet.player))];
  return names.map((name) => {
    const spots = [...new Set(bets.filter((bet) => bet.player === name).map((bet) => bet.spot))].sort((a, b) => a - b);
    return { name, spots, chips: 0, ready: false, away: false, leaving: false, gone: false, kept: {} };
  });
}
