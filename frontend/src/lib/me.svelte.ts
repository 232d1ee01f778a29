/** Who I am. A visitor becomes a guest with play money at the first thing that needs it. */

import { ask, change, question, Refusal, useToken } from "./api";

export interface Me {
  name: string;
  kind: "guest" | "player" | "house";
  chips: number;
  tables: number[];
  csrf: string;
}

export const me = $state<{ now: Me | null; known: boolean }>({ now: null, known: false });
const FIRST_CHIPS = 1_000_000;

function take(found: Me): Me {
  useToken(found.csrf);
  me.now = found;
  me.known = true;
  return found;
}

/** Find out who I am; nobody yet is an answer too. */
export async function refresh(): Promise<Me | null> {
  const before = me.now;
  try {
    return take(await ask<Me>("/me"));
  } catch (error) {
    if (!(error instanceof Refusal) || error.problem.status !== 401) throw error;
    if (me.now !== before) return me.now; // somebody, in the meantime
    useToken("");
    me.now = null;
    me.known = true;
    return null;
  }
}

let becoming: Promise<Me> | null = null;

/** Somebody: whoever I am, or a new guest with chips. All that ask at once become the same guest. */
export async function somebody(): Promise<Me> {
  if (me.now) return me.now;
  becoming ??= become().finally(() => (becoming = null));
  return becoming;
}

async function become(): Promise<Me> {
  const found = await refresh();
  if (found) return found;
  take(await question<Me>("/guests", {}));
  await buy(FIRST_CHIPS);
  return me.now as unknown as Me;
}

export async function buy(amount: number): Promise<void> {
  await change("POST", "/me/chips", { amount });
  await refresh();
}

export async function logIn(name: string, password: string, fresh = false): Promise<void> {
  take(await question<Me>(fresh ? "/accounts" : "/sessions", { name, password }));
}

export async function logOut(): Promise<void> {
  await change("DELETE", "/sessions");
  useToken("");
  me.now = null;
}
