/** A table as I see it: the server's state, shown beat by beat, and what I do there. */

import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { ask, change, clock, Refusal } from "../api/requests";
import { me, refresh, refreshAll, somebody } from "../account/me.svelte";
import { beats, hiddenBy, type Beat } from "../felt/beats";
import { bare, changed, doubled, put, refusal, total, type Laid } from "./bets";
import { isFree, type Player, type Scene } from "../felt/scene";
import type { About, BetView, Now, Question, SeatView, Step, TableAnswer, TableEvent, WagerAbout } from "../api/table";
import { sentences } from "../game/words";

type Line = "opening" | "live" | "lost" | "gone";
const AGAIN = 1500;
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Room implements Scene {
  readonly player: Player = this;
  about = $state.raw<About | null>(null);
  now = $state.raw<Now | null>(null);
  line = $state<Line>("opening");
  problem = $state("");
  short = $state(false); // of chips: what the problem is
  bringing = $state(false); // the form for more chips is open
  said = $state("");
  satDown = $state(0); // how often I have, since I came
  busy = $state(false);
  chip = $state(500);
  chosen = $state(0);
  private lookedAt = $state.raw({ spot: 0, turn: "" });
  nets = $state.raw<Record<string, number> | null>(null);
  laid = $state.raw<Laid>({});
  past = $state.raw<Laid[]>([]);
  last = $state.raw<Laid>({});
  queue = $state.raw<Beat[]>([]);
  calm = $state.raw<Now | null>(null); // the table as it was when everything had been shown
  side = new SvelteMap<string, number>(); // wagers beside my next action
  insured = $state<number | null>(null); // what I want to insure for, if not for the most
  wished = $state.raw<number[]>([]); // spots on which I want to sit down
  private time = $state(Date.now()); // the server's, now and then
  flown = new SvelteSet<string>(); // cards that were dealt while I looked

  hidden = $derived(hiddenBy(this.queue));
  showing = $derived(this.queue.length > 0);
  seats = $derived((this.showing ? this.calm : this.now)?.seats ?? []);
  seat = $derived<SeatView | null>(this.seats.find((seat) => seat.name === me.now?.name) ?? null);
  spots = $derived(this.seat?.spots ?? []);
  waits = $derived<Question | null>(this.showing ? null : (this.now?.waits ?? null));
  betting = $derived(this.waits?.kind === "bets");
  question = $derived<Question | null>(
    this.waits && this.waits.kind !== "bets" && this.spots.includes(this.waits.spot) ? this.waits : null,
  );
  /** Wagers of a round that is not dealt yet lie on the felt. */
  open = $derived(this.now?.round ? ["", "wagers"].includes(this.now.round.step) : false);
  /** The last round has been cleared away by a first chip of mine, before the server says so. */
  cleared = $derived(this.betting && !this.open && total(this.laid) > 0);
  round = $derived(this.cleared ? null : (this.now?.round ?? null));
  chips = $derived((this.seat?.chips ?? 0) + (this.betting ? total(this.mine()) - total(this.laid) : 0));
  bets = $derived<BetView[]>(this.felt());
  focus = $derived(this.question?.spot ?? (this.spots.includes(this.chosen) ? this.chosen : (this.spots[0] ?? 0)));
  /** A spot of somebody else that I look at: until I am asked something, or choose one of mine. */
  looked = $derived(this.question && this.question.turn !== this.lookedAt.turn ? 0 : this.lookedAt.spot);
  /** Nothing left to bet with at the table. */
  broke = $derived(
    this.seat !== null && !this.seat.leaving && this.betting && this.chips === 0 && total(this.laid) === 0,
  );
  insurance = $derived(Math.max(0, Math.min(this.insured ?? Infinity, this.question?.most ?? 0)));
  net = $derived(this.nets && !this.showing && !this.open && !this.cleared ? this.sum(this.nets) : null);

  private source: EventSource | null = null;
  private readonly ticking = setInterval(() => (this.time = Date.now() - clock.ahead), 5000);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private missed: TableEvent[] = [];
  private heard = 0; // the last step whose events are known
  private sending: Promise<boolean> | null = null;
  private ended = false;

  constructor(readonly table: number) {
    this.last = kept(table);
  }

  // ---- following the table

  async start(): Promise<void> {
    try {
      const found = await ask<TableAnswer>(`/tables/${this.table}`);
      this.about = found.about;
      const affordable = found.about.wagers.find((wager) => wager.placed.includes("before-deal"));
      if (affordable && affordable.least > this.chip)
        this.chip = [2500, 10_000, 50_000, 100_000].find((chip) => chip >= affordable.least) ?? this.chip;
      this.show(found.now);
      await somebody();
      if (!this.ended) this.follow();
    } catch (error) {
      if (error instanceof Refusal && error.problem.status === 404) this.line = "gone";
      else this.line = "lost";
      this.problem = error instanceof Error ? error.message : "";
      if (this.line === "lost" && !this.ended) this.again = setTimeout(() => void this.start(), AGAIN);
    }
  }

  private follow(): void {
    const source = new EventSource(`/api/v1/tables/${this.table}/events`);
    this.source = source;
    source.addEventListener("open", () => {
      this.line = "live";
      this.problem = "";
    });
    source.addEventListener("now", (event: MessageEvent<string>) => this.show(JSON.parse(event.data) as Now));
    source.addEventListener("step", (event: MessageEvent<string>) => this.take(JSON.parse(event.data) as Step));
    source.addEventListener("error", () => {
      this.line = "lost";
      if (source.readyState !== EventSource.CLOSED || this.ended) return;
      this.again = setTimeout(() => void this.comeBack(), AGAIN);
    });
  }

  /** The server has ended the stream: I may have been logged out, and then it waits until I am somebody again. */
  private async comeBack(): Promise<void> {
    await refresh()
      .then(() => somebody())
      .catch(() => undefined);
    while (me.out && !this.ended) await pause(AGAIN);
    if (!this.ended) this.follow();
  }

  stop(): void {
    this.ended = true;
    this.source?.close();
    clearInterval(this.ticking);
    clearTimeout(this.timer);
    clearTimeout(this.again);
  }

  /** A whole state; an older one than what is known is left aside. */
  private show(now: Now): void {
    if (this.now && now.seq < this.now.seq) return;
    if (now.round?.number !== this.now?.round?.number) this.nets = null;
    this.missed = [];
    this.heard = now.seq;
    this.queue = [];
    this.settle(now);
    this.calm = now;
  }

  /** A step, from the stream or as an answer; each is taken once. */
  private take(step: Step): void {
    if (this.now && step.seq <= this.now.seq) return;
    if (step.seq > this.heard) {
      this.missed.push(...step.events);
      this.heard = step.seq;
    }
    if (!step.now) return;
    const all = this.missed;
    this.missed = [];
    const events = all.slice(
      Math.max(
        0,
        all.findLastIndex((event) => event.event === "round"),
      ),
    );
    for (const event of events) {
      if (event.event === "over") this.nets = event.nets;
      if (event.event === "round") this.nets = null;
    }
    if (!this.showing) this.calm = this.now;
    const now = step.now;
    const dealt = events.some((event) => event.event === "step" && event.step === "deal");
    this.settle(now);
    if (dealt) this.keep();
    this.queue = still.matches || document.hidden ? [] : [...this.queue, ...beats(events, now)];
    const about = this.about;
    if (about) {
      const words = sentences(events, now, about, this.spots);
      if (words.length) this.said = words.join(" ");
    }
    this.play();
  }

  private settle(now: Now): void {
    const turn = this.now?.waits?.turn;
    const following = this.now?.following;
    const sat = this.now?.seats.some((seat) => seat.name === me.now?.name);
    this.now = now;
    if (sat && !now.seats.some((seat) => seat.name === me.now?.name)) void refresh().catch(() => undefined); // the chips went with me
    if (turn !== now.waits?.turn) {
      this.side.clear();
      this.insured = null;
    }
    if (this.open) this.flown.clear();
    if (!this.sending || following !== now.following) this.laid = this.mine(); // chips that came too late stay with me
    if (!this.open) this.past = [];
  }

  private play(): void {
    clearTimeout(this.timer);
    const beat = this.queue[0];
    if (!beat) {
      this.calm = this.now;
      return;
    }
    const haste = this.queue.length > 10 ? 0.6 : 1;
    this.timer = setTimeout(() => {
      this.flown.add(beat.key);
      this.queue = this.queue.slice(1);
      this.play();
    }, beat.pause * haste);
  }

  /** Show everything at once. */
  hurry(): void {
    this.queue = [];
    this.play();
  }

  // ---- chips before the deal

  /** My wagers as the server has them. */
  private mine(): Laid {
    const now = this.now;
    const spots = now?.seats.find((seat) => seat.name === me.now?.name)?.spots ?? [];
    const laid = bare(spots);
    if (!now?.round || !["", "wagers"].includes(now.round.step)) return laid;
    for (const bet of now.round.bets) {
      const bets = laid[bet.spot];
      if (bets) bets[bet.wager] = bet.stake;
    }
    return laid;
  }

  /** All that lies on the felt: others' wagers, and mine as I lay them. */
  private felt(): BetView[] {
    const round = this.round;
    if (!this.betting || (!this.open && !this.cleared)) return round?.bets ?? [];
    const others = (round?.bets ?? []).filter((bet) => !this.spots.includes(bet.spot));
    const mine = Object.entries(this.laid).flatMap(([spot, bets]) =>
      Object.entries(bets).map(([wager, stake]) => ({
        bet: -1,
        spot: Number(spot),
        hand: 0,
        wager,
        stake,
        back: null,
        lines: [],
      })),
    );
    return [...others, ...mine];
  }

  private sum(nets: Record<string, number>): number | null {
    const found = this.spots.filter((spot) => nets[String(spot)] !== undefined);
    return found.length ? found.reduce((sum, spot) => sum + (nets[String(spot)] ?? 0), 0) : null;
  }

  /** Say why something is not done, to those who look and to those who listen. */
  refuse(why: string, short = false): void {
    this.problem = why;
    this.said = why;
    this.short = short;
  }

  /** Lay the chosen chip on a wager. */
  lay(spot: number, wager: WagerAbout, by = this.chip): void {
    if (!this.betting || this.busy || !this.spots.includes(spot)) return;
    this.chosen = spot;
    const before = this.laid[spot]?.[wager.id] ?? 0;
    const wished = Math.max(0, before + by);
    this.change(put(this.laid, spot, wager.id, by < 0 && wished < wager.least ? 0 : wished));
  }

  /** A new felt, if nothing speaks against it; what does is said. */
  private change(laid: Laid, step = true): void {
    const all = (this.seat?.chips ?? 0) + total(this.mine());
    const reason = refusal(laid, this.about?.wagers ?? [], all);
    this.problem = "";
    if (reason) {
      this.refuse(reason, total(laid) > all);
      return;
    }
    if (step) this.past = [...this.past, this.laid];
    this.laid = laid;
    void this.send();
  }

  undo(): void {
    const before = this.past.at(-1);
    if (!before || !this.betting) return;
    this.past = this.past.slice(0, -1);
    this.change(before, false);
  }

  clear(): void {
    if (this.betting && total(this.laid)) this.change(bare(this.spots));
  }

  rebet(): void {
    if (!this.betting) return;
    this.change(Object.fromEntries(this.spots.map((spot) => [spot, this.last[spot] ?? {}])));
  }

  doubleAll(): void {
    if (this.betting && total(this.laid)) this.change(doubled(this.laid));
  }

  /** Remember what was dealt to, as the server has it. */
  private keep(): void {
    const before =
      this.about?.wagers.filter((wager) => wager.placed.includes("before-deal")).map((wager) => wager.id) ?? [];
    const mine = (this.now?.round?.bets ?? []).filter(
      (bet) => this.spots.includes(bet.spot) && bet.hand === 0 && before.includes(bet.wager),
    );
    const laid = mine.reduce((felt, bet) => put(felt, bet.spot, bet.wager, bet.stake), bare(this.spots));
    if (!total(laid)) return;
    this.last = laid;
    localStorage.setItem(`feltlab-last-${this.table}`, JSON.stringify(laid));
  }

  /** Bring the server's felt to mine, one spot after the other; what it refuses is taken back here too. Did all of it go? */
  private send(): Promise<boolean> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = null;
      this.laid = this.mine();
    });
    return this.sending;
  }

  private async sendAll(): Promise<boolean> {
    await pause(120); // quick clicks go together
    for (let spot = changed(this.mine(), this.laid)[0]; spot !== undefined; spot = changed(this.mine(), this.laid)[0]) {
      if (!(await this.ask("PUT", "bets", { spot, bets: this.laid[spot] ?? {}, round: this.now?.following })))
        return false;
    }
    return true;
  }

  // ---- what I do

  /** Ask the table for something; false if it was refused, and `problem` says why. */
  private async ask(method: "POST" | "PUT" | "DELETE", what: string, body?: unknown): Promise<boolean> {
    try {
      await this.answered(await change<Step>(method, `/tables/${this.table}/${what}`, body));
      this.problem = "";
      return true;
    } catch (error) {
      this.refuse(error instanceof Error ? error.message : "That did not work");
      return false;
    }
  }

  /** The table may have gone on since the step that is answered: then what came between is the stream's to tell. */
  private async answered(step: Step): Promise<void> {
    const now = step.now;
    if (!now || now.seq === step.seq) return this.take(step);
    for (let wait = 0; wait < 20 && (this.now?.seq ?? 0) < now.seq; wait += 1) await pause(50);
    if ((this.now?.seq ?? 0) < now.seq) this.show(now);
  }

  private async once(act: () => Promise<boolean>): Promise<boolean> {
    if (this.busy) return false;
    this.busy = true;
    try {
      return await act();
    } finally {
      this.busy = false;
    }
  }

  async deal(): Promise<void> {
    if (!this.betting || !this.seat || this.busy) return;
    if (!total(this.laid) && total(this.last)) this.rebet();
    if (this.sending && !(await this.sending)) return; // and why is said
    if (!total(this.laid)) return;
    await this.once(() => this.ask("POST", "deal"));
  }

  /** Answer the table's question, with the wagers that I laid beside the action. */
  async act(action: string): Promise<void> {
    const asked = this.question;
    if (!asked?.actions.includes(action) || (action === "insure" && !this.insurance)) return;
    const offered = asked.side[action] ?? [];
    const side = Object.fromEntries([...this.side].filter(([id, stake]) => offered.includes(id) && stake > 0));
    await this.once(() =>
      this.ask("POST", "moves", {
        turn: asked.turn,
        spot: asked.spot,
        action,
        side,
        amount: action === "insure" ? this.insurance : 0,
      }),
    );
  }

  /** Choose a spot: to sit down there, to bet there if it is mine, to look at it if it is another's. */
  choose(spot: number): void {
    const free = this.free(spot);
    const taken = this.seats.some((seat) => seat.spots.includes(spot));
    this.lookedAt = { spot: taken && !free && !this.spots.includes(spot) ? spot : 0, turn: this.question?.turn ?? "" };
    if (this.spots.includes(spot)) this.chosen = spot;
    else if (free) {
      this.chosen = spot;
      this.wished = this.wished.includes(spot)
        ? this.wished.filter((one) => one !== spot)
        : [...this.wished, spot].sort((a, b) => a - b);
    }
  }

  free(spot: number): boolean {
    return !this.seat && this.now?.status === "open" && isFree(spot, this.seats, this.time);
  }

  async sit(spots: number[], chips: number): Promise<boolean> {
    await somebody();
    const done = await this.once(() => this.ask("POST", "seat", { spots, chips }));
    if (done) {
      this.chosen = spots[0] ?? 0;
      this.wished = [];
      this.satDown += 1;
    }
    await refreshAll().catch(() => undefined);
    return done;
  }

  async leave(): Promise<void> {
    await this.once(() => this.ask("DELETE", "seat"));
    await refreshAll().catch(() => undefined);
  }

  async bring(amount: number): Promise<boolean> {
    const done = await this.once(() => this.ask("POST", "chips", { amount }));
    await refreshAll().catch(() => undefined);
    return done;
  }

  seed(text: string): Promise<boolean> {
    return this.once(() => this.ask("POST", "seeds", { seed: text }));
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((wake) => setTimeout(wake, milliseconds));
}

/** What I laid here last, from an earlier visit. */
function kept(table: number): Laid {
  try {
    return JSON.parse(localStorage.getItem(`feltlab-last-${table}`) ?? "{}") as Laid;
  } catch {
    return {};
  }
}
