/** Who I am. A visitor becomes a guest with play money at the first thing that needs it. */

import { ask, change, question, useToken } from "./api";

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
  const { me: found } = await ask<{ me: Me | null }>("/session");
  if (mine !== latest) return found;
  if (found) return take(found);
  forget();
  return null;
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

/** Begin a session; `code` is for accounts that have a second factor. */
export async function logIn(name: string, password: string, code = ""): Promise<void> {
  take(await question<Me>("/sessions", { name, password, ...(code ? { code } : {}) }));
}

/** Make an account; a guest becomes it, with all that they have. */
export async function register(name: string, password: string): Promise<void> {
  take(await question<Me>("/accounts", { name, password }));
}

export async function logOut(): Promise<void> {
  await change("DELETE", "/sessions");
  forget();
}
