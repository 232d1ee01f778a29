/** One's own sheet: where the errors stand. */

export interface Marked {
  line: number | null;
  what: string;
}

/** The errors by their lines; those that belong to none, or to a line that is no longer there, come under 0. */
export function byLine(errors: readonly Marked[], lines: number): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const error of errors) {
    const line = error.line !== null && error.line >= 1 && error.line <= lines ? error.line : 0;
    found.set(line, [...(found.get(line) ?? []), error.what]);
  }
  return found;
}

export const LONGEST = 60_000; // letters that the service takes of a sheet

/** What is written and not yet in an address of its own: kept while this tab is open. */
export interface Draft {
  text: string;
  sheet: string; // the sheet that the address named meanwhile; none where it named none
}

const KEY = "feltlab-own";

export function keepDraft(draft: Draft | null): void {
  try {
    if (draft) sessionStorage.setItem(KEY, JSON.stringify(draft));
    else sessionStorage.removeItem(KEY);
  } catch {
    // no room for it: then it is lost with the page
  }
}

export function keptDraft(): Draft | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEY) ?? "null") as Partial<Draft> | null;
    return typeof found?.text === "string" && typeof found.sheet === "string"
      ? { text: found.text, sheet: found.sheet }
      : null;
  } catch {
    return null;
  }
}

export const EXAMPLE = `id = "lucky-pair"
name = "Lucky Pair"
game = "blackjack"

[[wager]]
id = "lucky-pair"
name = "Lucky Pair"
settled = "deal"

[[wager.line]]
name = "Pair of aces"
when = "pair(first, second) and rank(first) == ace"
pays = "25:1"

[[wager.line]]
name = "Any other pair"
when = "pair(first, second)"
pays = "11:1"
`;
