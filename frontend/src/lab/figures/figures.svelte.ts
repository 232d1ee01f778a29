/** The figures of a table: what is counted is there at once, what depends on play follows. */

import { Asked } from "../../api/query.svelte";
import { table, type Choice } from "../choice";
import type { Figures, SheetAbout, WagerFigures } from "../../api/lab";

const WHOLE_ROUNDS_AFTER = 700; // ms: they take some seconds, and should not stand in the way of the next change

export interface Shown {
  key: string;
  wager: WagerFigures;
  stale: boolean;
}

export function keyOf(wager: WagerFigures): string {
  return wager.known === "in-play" ? `${wager.id}-in-play` : wager.id;
}

/** Both parts in the order of the sheet. */
export function merged(about: SheetAbout, counted: readonly Shown[], played: readonly Shown[]): Shown[] {
  const all = [...counted, ...played];
  const order = about.wagers.map((wager) => wager.id);
  return all
    .map((shown, at) => ({ shown, at }))
    .sort((a, b) => order.indexOf(a.shown.wager.id) - order.indexOf(b.shown.wager.id) || a.at - b.at)
    .map(({ shown }) => shown);
}

export class Figuring {
  readonly counted = new Asked<Figures>();
  readonly played = new Asked<Figures>();
  readonly whole = new Asked<Figures>();
  #wholeFor = $state.raw<Figures | null>(null);

  ask(choice: Choice, depends: boolean): void {
    const body = table(choice);
    this.counted.ask("/lab/figures", { table: body, part: "counted" });
    if (depends) this.played.ask("/lab/figures", { table: body, part: "played" });
  }

  /** The parts of the main wager that only whole rounds tell. */
  askWhole(choice: Choice): void {
    const played = this.played.answer;
    if (!played || this.played.pending) {
      this.whole.drop();
      return;
    }
    const open = played.wagers
      .filter((one) => one.house_edge !== null && one.standard_deviation === null)
      .map((one) => one.id);
    if (open.length === 0) return;
    this.whole.ask("/lab/figures", { table: table(choice), part: "all", wagers: open }, WHOLE_ROUNDS_AFTER);
    this.#wholeFor = played;
  }

  shown(about: SheetAbout): Shown[] {
    const of = (asked: Asked<Figures>): Shown[] =>
      (asked.answer?.wagers ?? []).map((wager) => ({
        key: keyOf(wager),
        wager,
        stale: asked.pending || asked.trouble !== null,
      }));
    const fresh =
      this.whole.answer && !this.whole.pending && this.#wholeFor === this.played.answer ? this.whole.answer.wagers : [];
    const played = of(this.played).map((one) => ({
      ...one,
      wager: fresh.find((other) => keyOf(other) === one.key) ?? one.wager,
    }));
    return merged(about, of(this.counted), played);
  }

  drop(): void {
    for (const one of [this.counted, this.played, this.whole]) one.drop();
  }
}
