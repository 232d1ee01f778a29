/** The coach: what each action is worth, and what mistakes have cost, as the server says. Whether it is wanted is remembered. */

import { ask } from "../api/requests";
import type { Coaching, Question } from "../api/table";

const KEY = "feltlab-coach";

export class Coach {
  on = $state(localStorage.getItem(KEY) === "on");
  now = $state.raw<Coaching | null>(null);
  judged = $state.raw<Coaching[]>([]); // my decisions of the last round
  rounds = $state(0); // that were judged since I came
  cost = $state(0); // cents that my mistakes cost in them
  trouble = $state("");
  private last = "";

  constructor(private readonly table: number) {}

  toggle(): void {
    this.on = !this.on;
    localStorage.setItem(KEY, this.on ? "on" : "off");
  }

  /** Ask about a question of the table; gives what stops the asking. */
  follow(asked: Question | null): (() => void) | undefined {
    this.now = null;
    if (!this.on || !asked) return undefined;
    return this.ask<Coaching>(`/tables/${this.table}/coach`, (found) => (this.now = found));
  }

  /** Ask about my decisions of a round that is over. */
  judge(round: string | null, spots: number[]): void {
    if (!this.on || !round || round === this.last) return;
    this.last = round;
    this.judged = [];
    this.ask<Coaching[]>(`/rounds/${round}/coach`, (found) => {
      this.judged = found.filter((one) => spots.includes(one.spot));
      this.rounds += 1;
      this.cost += this.judged.reduce((sum, one) => sum + one.cost, 0);
    });
  }

  private ask<T>(path: string, use: (found: T) => void): () => void {
    const stop = new AbortController();
    ask<T>(path, stop.signal).then(
      (found) => {
        this.trouble = "";
        if (!stop.signal.aborted) use(found);
      },
      (error: unknown) => {
        if (!stop.signal.aborted) this.trouble = error instanceof Error ? error.message : "no answer";
      },
    );
    return () => stop.abort();
  }
}
