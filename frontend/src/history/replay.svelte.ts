/** A round that is seen again, moment by moment. Every felt in it is the server's. */

import { me } from "../account/me.svelte";
import { hiddenBy } from "../felt/beats";
import type { Scene } from "../felt/scene";
import type { About, BetView, Frame, ReplayAnswer, RoundView, SeatView } from "../api/table";

const PAUSE = 1000;
const OPENING_PAUSE = 650; // nothing moves when a step begins

export class Replay implements Scene {
  place = $state(0);
  playing = $state(false);
  chosen = $state(0);
  private onward = $state(false); // the last change was one moment on: its cards may be seen to come
  private timer: ReturnType<typeof setTimeout> | undefined;

  readonly frames: Frame[];
  readonly last: number;
  readonly frame: Frame = $derived.by(() => this.frames[this.place] as Frame);
  /** The step of the procedure that this moment belongs to. */
  readonly step: string = $derived.by(
    () => this.frames.slice(0, this.place + 1).findLast((frame) => frame.opens)?.step ?? "",
  );

  readonly round: RoundView = $derived(this.frame.round);
  readonly bets: BetView[] = $derived(this.round.bets);
  readonly now = $derived.by(() => ({
    shoe: { cards: this.found.cards, behind_cut: this.found.behind_cut, dealt: this.frame.dealt },
  }));
  readonly spots: number[] = $derived.by(() => this.seats.find((seat) => seat.name === me.now?.name)?.spots ?? []);
  readonly focus: number = $derived.by(() => this.chosen || (this.spots[0] ?? this.seats[0]?.spots[0] ?? 1));
  readonly flown = { has: (): boolean => this.onward };
  readonly looked = 0;
  readonly waits = null;
  readonly betting = false;
  readonly showing = false;
  readonly hidden = hiddenBy([]);
  readonly player = null;

  /** There is at least one moment: a round begins with its first wager. */
  constructor(
    private readonly found: ReplayAnswer,
    readonly about: About,
    readonly seats: SeatView[],
  ) {
    this.frames = found.frames;
    this.last = found.frames.length - 1;
    this.place = this.last;
  }

  choose(spot: number): void {
    if (this.seats.some((seat) => seat.spots.includes(spot))) this.chosen = spot;
  }

  /** Show a moment; whoever chooses one wants to look at it. */
  show(place: number): void {
    this.pause();
    this.turn(place);
  }

  /** The moment in which a step of the procedure begins. */
  showStep(step: string): void {
    const place = this.frames.findIndex((frame) => frame.opens && frame.step === step);
    if (place >= 0) this.show(place);
  }

  private turn(place: number): void {
    const next = Math.min(this.last, Math.max(0, place));
    this.onward = next === this.place + 1;
    this.place = next;
  }

  /** Play from here; from the beginning where there is nothing more to come. */
  toggle(): void {
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.place === this.last) this.turn(0);
    this.playing = true;
    this.wait();
  }

  pause(): void {
    clearTimeout(this.timer);
    this.playing = false;
  }

  private wait(): void {
    this.timer = setTimeout(
      () => {
        this.turn(this.place + 1);
        if (this.place < this.last) this.wait();
        else this.playing = false;
      },
      this.frame.opens ? OPENING_PAUSE : PAUSE,
    );
  }
}
