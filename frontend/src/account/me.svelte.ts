/** Who I am. A visitor becomes a guest with play money at the first thing that needs it. */

import { ask, change, question, renewWith, useToken } from "../api/requests";
import type { Me } from "../api/schema";

/** `out`: I was somebody, and am nobody any more, though not by what I did here. Then no guest is made unasked. */
export const me = $state<{ now: Me | null; known: boolean; out: boolean }>({ now: null, known: false, out: false });
const FIRST_CHIPS = 1_000_000;

let latest = 0; // what was asked last; an older answer that comes later changes nothing
let becoming: Promise<Me> | null = null;
let looking: Promise<Me | null> | null = null;
const tabs = new BroadcastChannel("feltlab-me");

function take(found: Me): Me {
  latest += 1;
  useToken(found.csrf);
  me.now = found;
  me.known = true;
  me.out = false;
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
  if (me.now) me.out = true;
  forget();
  return null;
}

/** Who I am, as far as it is known; only else it is asked. */
export function whoever(): Promise<Me | null> {
  if (me.known) return Promise.resolve(me.now);
  looking ??= refresh().finally(() => (looking = null));
  return looking;
}

/** Something of me has changed by what I did here: find out, and let other tabs do so too. */
export async function refreshAll(): Promise<void> {
  tell();
  await refresh();
}

function tell(): void {
  tabs.postMessage("");
}
tabs.addEventListener("message", () => void refresh().catch(() => undefined));

renewWith(async () => {
  const before = me.now?.name;
  await refresh();
  return before === undefined || before === me.now?.name;
});

/** Somebody: whoever I am, or a new guest with chips. Who asks twice at once does not become two guests. */
export function somebody(): Promise<Me> {
  if (me.now) return Promise.resolve(me.now);
  becoming ??= become().finally(() => (becoming = null));
  return becoming;
}

async function become(): Promise<Me> {
  const found = await refresh();
  if (found) return found;
  if (me.out) throw new Error("you were logged out; log in, or go on as a guest");
  const guest = await question<Me>("/guests", {});
  useToken(guest.csrf);
  await buy(FIRST_CHIPS); // nobody is seen without chips in between
  return me.now ?? guest;
}

/** Who was logged out goes on as a new guest. */
export async function goOnAsGuest(): Promise<void> {
  me.out = false;
  await somebody();
}

export async function buy(amount: number): Promise<void> {
  await change("POST", "/me/chips", { amount });
  await refreshAll();
}

/** Begin a session; `code` is for accounts that have a second factor. */
export async function logIn(name: string, password: string, code = ""): Promise<void> {
  take(await question<Me>("/sessions", { name, password, ...(code ? { code } : {}) }));
  tell();
}

/** Make an account; a guest becomes it, with all that they have. */
export async function register(name: string, password: string): Promise<void> {
  take(await question<Me>("/accounts", { name, password }));
  tell();
}

export async function logOut(): Promise<void> {
  await change("DELETE", "/sessions");
  forget();
  tell();
}
