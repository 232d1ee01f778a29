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

let latest = 0; // what was asked last; an older answer that comes later changes nothing
let becoming: Promise<Me> | null = null;

function take(found: Me): Me {
  latest += 1;
  useToken(found.csrf);
  me.now = found;
  me.known = true;
  return found;
}

function forget(): void {
  latest += 1;
  useToken("");
  me.now = null;
  me.known = true;
}

/** Find out who I am; nobody yet is an answer too. */
export async function refresh(): Promise<Me | null> {
  latest += 1;
  const mine = latest;
  try {
    const found = await ask<Me>("/me");
    return mine === latest ? take(found) : found;
  } catch (error) {
    if (!(error instanceof Refusal) || error.problem.status !== 401) throw error;
    if (mine === latest) forget();
    return null;
  }
}

/** Somebody: whoever I am, or a new guest with chips. Who asks twice at once does not become two guests. */
export function somebody(): Promise<Me> {
  if (me.now) return Promise.resolve(me.now);
  becoming ??= become().finally(() => (becoming = null));
  return becoming;
}

async function become(): Promise<Me> {
  const found = await refresh();
  if (found) return found;
  const guest = await question<Me>("/guests", {});
  useToken(guest.csrf);
  await buy(FIRST_CHIPS); // nobody is seen without chips in between
  return me.now ?? guest;
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
  forget();
}
