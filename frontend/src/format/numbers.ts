/** Numbers that people type: what they mean, or a sentence that says what may be typed. */

import { money } from "./money";

export interface Bounds {
  least: number;
  most?: number | undefined;
  cents?: boolean; // typed as an amount of money, and meant in cents
}

export type Typed = { value: number; why: "" } | { value: null; why: string };

/** What a text means as a number; spaces and the commas between thousands are left aside. */
export function readNumber(text: string, { least, most, cents = false }: Bounds): Typed {
  const plain = text.trim().replace(/(\d)[ ,](?=\d{3})/g, "$1");
  const found = (cents ? /^\d{1,13}(\.\d{1,2})?$/ : /^\d{1,15}$/).test(plain)
    ? Math.round(Number(plain) * (cents ? 100 : 1))
    : null;
  if (found !== null && found >= least && found <= (most ?? Infinity)) return { value: found, why: "" };
  const shown = (value: number): string => (cents ? money(value) : value.toLocaleString("en-US"));
  const what = cents ? "an amount" : "a whole number";
  return {
    value: null,
    why:
      most === undefined
        ? `Write ${what} of ${shown(least)} or more, in figures`
        : `Write ${what} from ${shown(least)} to ${shown(most)}`,
  };
}

/** To the first field that says what is wrong with it: it is not said again elsewhere. */
export function toMistake(form: EventTarget | null): void {
  if (form instanceof HTMLElement) form.querySelector<HTMLElement>("[data-number][aria-invalid=true]")?.focus();
}

/** Cents as they stand in a field. */
export function typedCents(cents: number): string {
  return String(cents / 100);
}
