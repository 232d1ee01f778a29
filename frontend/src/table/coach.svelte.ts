/** The coach: what each action is worth, where the server says so. Whether it is wanted is remembered. */

import { ask } from "../lib/api";
import type { Room } from "./room.svelte";
import type { Coaching, Question } from "./types";

const KEY = "feltlab-coach";

export class Coach {
  on = $state(localStorage.getItem(KEY) === "on");
  now = $state.raw<Coaching | null>(null);

  constructor(private readonly room: Room) {}

  toggle(): void {
    this.on = !this.on;
    localStorage.setItem(KEY, this.on ? "on" : "off");
  }

  /** Ask about a question of the table; gives what stops the asking. */
  follow(asked: Question | null): (() => void) | undefined {
    this.now = null;
    if (!this.on || !asked) return undefined;
    const stop = new AbortController();
    ask<Coaching>(`/tables/${this.room.table}/coach`, stop.signal).then(
      (found) => (this.now = found),
      () => undefined, // a server without a coach
    );
    return () => stop.abort();
  }
}
