/** A question that is asked anew when what it is about changes. The old answer stays until the new one is there. */

import { question, Refusal } from "./requests";
import { refresh, somebody } from "../account/me.svelte";

/** Words for whatever went wrong. */
export function words(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const TRIES = 4;

/** Ask as somebody, who may have logged in anew elsewhere; a server that is busy is asked again a little later. */
export async function put<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    await somebody();
    try {
      return await question<T>(path, body, signal);
    } catch (error) {
      const status = error instanceof Refusal ? error.problem.status : -1;
      if (signal?.aborted || attempt === TRIES || ![401, 429, 503].includes(status)) throw error;
      if (status === 401) await refresh();
      else await new Promise((wake) => setTimeout(wake, 500 * attempt));
      if (signal?.aborted) throw error;
    }
  }
}

export class Asked<T> {
  answer = $state.raw<T | null>(null);
  pending = $state(false);
  trouble = $state<string | null>(null);
  refused = $state(false); // it is the question that is wrong: asking again does not help
  #running: AbortController | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last = "";

  /** Ask, unless just this was asked already. The question before is dropped. */
  ask(path: string, body: unknown, wait = 0): void {
    const said = JSON.stringify([path, body]);
    if (said === this.#last && !this.trouble) return;
    this.drop();
    this.#last = said;
    this.pending = true;
    if (wait > 0) this.#timer = setTimeout(() => void this.#run(path, body), wait);
    else void this.#run(path, body);
  }

  drop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
    this.#running = null;
    this.#last = "";
    this.pending = false;
  }

  async #run(path: string, body: unknown): Promise<void> {
    const mine = new AbortController();
    this.#running = mine;
    try {
      const found = await put<T>(path, body, mine.signal);
      if (mine.signal.aborted) return;
      this.answer = found;
      this.trouble = null;
      this.refused = false;
    } catch (error) {
      if (mine.signal.aborted) return;
      this.trouble = words(error);
      this.refused = error instanceof Refusal && error.problem.status === 422;
    }
    this.pending = false;
  }
}
