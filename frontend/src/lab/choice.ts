/** A table in the lab: a sheet and what is chosen of it. The page's address says all of it. */

import type { Paytable, SheetAbout, SheetWager } from "../api/lab";
import type { SheetTable } from "../api/schema";

export interface Choice {
  sheet: string;
  decks: number | null;
  option: string | null;
  paytables: Record<string, string>;
  rules: Record<string, string>;
  pays: Record<string, string>;
  offered: string[] | null;
  strategy: string | null;
  remove: string;
}

export function plain(sheet: string): Choice {
  return {
    sheet,
    decks: null,
    option: null,
    paytables: {},
    rules: {},
    pays: {},
    offered: null,
    strategy: null,
    remove: "",
  };
}

/** "a=b" cut at its first "="; nothing where there is none. */
function pairs(values: string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const value of values) {
    const at = value.indexOf("=");
    if (at > 0 && at < value.length - 1) found[value.slice(0, at)] = value.slice(at + 1);
  }
  return found;
}

function without(of: Record<string, string>, key: string): Record<string, string> {
  return Object.fromEntries(Object.entries(of).filter(([name]) => name !== key));
}

/** What an address has chosen. What cannot be read is left out. */
export function read(sheet: string, query: string): Choice {
  const said = new URLSearchParams(query);
  const decks = said.get("decks") ?? "";
  return {
    sheet,
    decks: /^[1-9]\d?$/.test(decks) ? Number(decks) : null,
    option: said.get("option") || null,
    paytables: pairs(said.getAll("paytable")),
    rules: pairs(said.getAll("rule")),
    pays: pairs(said.getAll("pay")),
    offered: said.has("offered") ? (said.get("offered") ?? "").split(",").filter(Boolean) : null,
    strategy: said.get("strategy") || null,
    remove: said.get("remove") ?? "",
  };
}

const OWN = ["decks", "option", "paytable", "rule", "pay", "offered", "strategy", "remove"];

/** What an address says beside the choice: how a view looks at it. */
export function extras(query: string): Record<string, string> {
  return Object.fromEntries([...new URLSearchParams(query)].filter(([name]) => !OWN.includes(name)));
}

function encoded(text: string): string {
  return encodeURIComponent(text)
    .replace(/%20/g, "+")
    .replace(/%(3A|2F|3D|2C)/g, (code) => decodeURIComponent(code));
}

/** The choice as the query of an address, in one fixed order, so that equal choices have equal addresses. */
export function query(choice: Choice, extras: Record<string, string | null> = {}): string {
  const parts: [string, string][] = [];
  if (choice.decks !== null) parts.push(["decks", String(choice.decks)]);
  if (choice.option !== null) parts.push(["option", choice.option]);
  for (const [name, of] of [
    ["paytable", choice.paytables],
    ["rule", choice.rules],
    ["pay", choice.pays],
  ] as const) {
    for (const key of Object.keys(of).sort()) parts.push([name, `${key}=${of[key] ?? ""}`]);
  }
  if (choice.offered !== null) parts.push(["offered", choice.offered.join(",")]);
  if (choice.strategy !== null) parts.push(["strategy", choice.strategy]);
  if (choice.remove.trim()) parts.push(["remove", choice.remove.trim()]);
  for (const [name, value] of Object.entries(extras)) if (value !== null && value !== "") parts.push([name, value]);
  return parts.length ? `?${parts.map(([name, value]) => `${name}=${encoded(value)}`).join("&")}` : "";
}

export function address(choice: Choice, view: string, extras: Record<string, string | null> = {}): string {
  return `/lab/${encodeURIComponent(choice.sheet)}/${view}${query(choice, extras)}`;
}

/** The choice as the service takes it. */
export function table(choice: Choice): Record<string, unknown> {
  return {
    sheet: choice.sheet,
    ...(choice.decks === null ? {} : { decks: choice.decks }),
    ...(choice.option === null ? {} : { option: choice.option }),
    paytables: Object.entries(choice.paytables).map(([wager, id]) => `${wager}=${id}`),
    rules: choice.rules,
    pays: choice.pays,
    ...(choice.offered === null ? {} : { offered: choice.offered }),
    ...(choice.strategy === null ? {} : { strategy: choice.strategy }),
    ...(choice.remove.trim() ? { remove: choice.remove.trim() } : {}),
  };
}

/** A choice that came back from the service. */
export function fromTable(said: Partial<Record<keyof SheetTable, unknown>>): Choice {
  const words = (value: unknown): Record<string, string> =>
    value && typeof value === "object"
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, String(one)]))
      : {};
  const text = (value: unknown): string | null => (typeof value === "string" && value ? value : null);
  return {
    sheet: String(said["sheet"]),
    decks: typeof said["decks"] === "number" ? said["decks"] : null,
    option: text(said["option"]),
    paytables: Array.isArray(said["paytables"]) ? pairs(said["paytables"].map(String)) : words(said["paytables"]),
    rules: words(said["rules"]),
    pays: words(said["pays"]),
    offered: Array.isArray(said["offered"]) ? said["offered"].map(String) : null,
    strategy: text(said["strategy"]),
    remove: text(said["remove"]) ?? "",
  };
}

/** Another number of decks. A paytable that is not printed for it gives way, with the pays that were changed in it. */
export function withDecks(about: SheetAbout, choice: Choice, decks: number): Choice {
  let made: Choice = { ...choice, decks };
  for (const wager of about.wagers) {
    const printed = printedFor(wager, decks);
    const id = choice.paytables[wager.id];
    if (printed.some((one) => id === undefined || one.id === id)) continue;
    made = { ...asPrinted(made, wager.id), paytables: without(made.paytables, wager.id) };
    if (printed.length === 0) made.offered = made.offered?.filter((one) => one !== wager.id) ?? null;
  }
  return made;
}

export function decksOf(about: SheetAbout, choice: Choice): number {
  return choice.decks ?? about.usual.decks;
}

/** A wager's paytables for a number of decks. The same name may stand for other pays with other decks. */
export function printedFor(wager: Pick<SheetWager, "paytables">, decks: number): Paytable[] {
  return wager.paytables.filter((one) => one.decks.includes(decks));
}

/** The table with one more side wager, in place of those that it excludes. */
export function withOffered(about: SheetAbout, choice: Choice, offered: readonly string[], wager: SheetWager): Choice {
  const rivals = about.wagers
    .filter((one) => one.excludes.includes(wager.id) || wager.excludes.includes(one.id))
    .map((one) => one.id);
  const kept = about.wagers.filter(
    (one) => !one.base && (one.id === wager.id || (offered.includes(one.id) && !rivals.includes(one.id))),
  );
  return rivals.reduce(asPrinted, { ...choice, offered: kept.map((one) => one.id) });
}

/** A printed paytable, with none of its pays changed. */
export function withPaytable(choice: Choice, wager: string, paytable: string): Choice {
  return { ...asPrinted(choice, wager), paytables: { ...choice.paytables, [wager]: paytable } };
}

/** Every pay of a wager as printed. */
export function asPrinted(choice: Choice, wager: string): Choice {
  const pays = Object.fromEntries(Object.entries(choice.pays).filter(([key]) => !key.startsWith(`${wager}/`)));
  return { ...choice, pays };
}

/** Another pay on a line; the printed one is no change. */
export function withPay(choice: Choice, wager: string, line: string, pay: string, printed: string | undefined): Choice {
  const key = `${wager}/${line}`;
  return { ...choice, pays: pay === printed ? without(choice.pays, key) : { ...choice.pays, [key]: pay } };
}

/** A rule; the sheet's own value is no change. */
export function withRule(choice: Choice, key: string, value: string, usual: string): Choice {
  return { ...choice, rules: value === usual ? without(choice.rules, key) : { ...choice.rules, [key]: value } };
}

/** What the service says of a table, with the names of wagers and lines in place of their ids. */
export function told(about: Pick<SheetAbout, "wagers">, text: string): string {
  return text.replace(
    /\b([A-Za-z0-9][A-Za-z0-9-]*)\/([A-Za-z0-9][A-Za-z0-9-]*)/g,
    (place, id: string, line: string) => {
      const wager = about.wagers.find((one) => one.id === id);
      const found = wager?.lines.find((one) => one.id === line);
      return wager && found ? `“${found.name}” of ${wager.name}` : place;
    },
  );
}

/** What a person typed as a pay, as sheets write it: "25" is 25:1. Nothing where it is not a pay. */
export function pay(typed: string): string | null {
  const text = typed.trim().toLowerCase().replace(/\s+/g, " ");
  if (text === "push" || text === "lose") return text;
  const found = /^(lose )?(\d{1,9})(?: ?(?::|to) ?(\d{1,9}))?$/.exec(text);
  if (!found) return null;
  const per = found[3] ?? "1";
  return Number(per) * Number(found[2]) === 0 ? null : `${found[1] ?? ""}${Number(found[2])}:${Number(per)}`;
}

/** The stake on the side wager that a strategy plays for, for each 1 on the main one: of joint:R, and of no other. */
export function stakeOf(strategy: string | null): number | null {
  const found = /^joint(?::[^:]+)?:(\d*\.?\d+)$/.exec(strategy ?? "");
  return found ? Number(found[1]) : null;
}

/** What a pay wins or loses for each chip staked. */
export function ratio(said: string): number | null {
  if (said === "push") return 0;
  if (said === "lose") return -1;
  const found = /^(lose )?(\d+) ?(?::|to) ?(\d+)$/.exec(said);
  if (!found || Number(found[3]) === 0) return null;
  return ((found[1] ? -1 : 1) * Number(found[2])) / Number(found[3]);
}
