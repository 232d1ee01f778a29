/** What was done beside play, in words. */

import { money } from "../format/money";
import { count } from "../format/sentences";
import type { ActLine } from "../api/table";
import { when } from "../game/words";

type Detail = ActLine["detail"];
const cents = (detail: Detail, name: string): string => money(Number(detail[name] ?? 0));

/** Own limits as they were set: what holds at once, and what holds later. */
function limits(detail: Detail): string {
  const words = (loss: unknown, minutes: unknown): string =>
    `${typeof loss === "number" ? `to lose ${money(loss)}` : "to lose any amount"} and ${typeof minutes === "number" ? `to play for ${count(minutes, "minute")}` : "to play for any time"}`;
  const later =
    typeof detail["later_at"] === "number"
      ? `, and from ${when(detail["later_at"])} on ${words(detail["later_loss"], detail["later_minutes"])}`
      : "";
  return `${words(detail["loss"], detail["minutes"])}${later}`;
}

const MADE: Record<string, string> = { guest: "a guest", player: "a player's account", house: "a house account" };

/** A sentence without who did it. `whom` is a person or a table, by number; `own` where people did it to themselves. */
const WORDS: Record<string, (whom: string, detail: Detail, own: boolean) => string> = {
  account: (whom, { kind }, own) =>
    own && kind === "guest"
      ? "came as a guest"
      : own
        ? "made an account"
        : `made ${MADE[String(kind)] ?? "an account"}, ${whom}`,
  register: () => "registered, and is no guest any more",
  remove: (whom, _, own) => (own ? "deleted their own data" : `deleted the data of ${whom}`),
  password: (whom, _, own) => (own ? "changed their password" : `set a new password for ${whom}`),
  "log-in": () => "logged in",
  "end-sessions": (_, { ended }) => `ended ${count(Number(ended ?? 0), "other session")} of their own`,
  "factor-on": () => "added a second factor",
  "factor-off": (whom, _, own) => (own ? "removed their second factor" : `removed the second factor of ${whom}`),
  "factor-failed": (whom) => `refused a wrong second factor for ${whom}`,
  "recovery-code": (_, { left }) => `used a recovery code; ${count(Number(left ?? 0), "code")} left`,
  limits: (_, detail) => `allowed themselves ${limits(detail)} in a day of play`,
  "buy-in": (_, detail) => `bought ${cents(detail, "amount")} in chips`,
  "cash-out": (whom, detail, own) => `gave back ${cents(detail, "amount")} in chips${own ? "" : ` of ${whom}`}`,
  open: (whom) => `opened ${whom}`,
  close: (whom) => `asked for ${whom} to be closed`,
  closed: (whom, { steps }) => `closed ${whom} after ${count(Number(steps ?? 0), "step")}`,
  void: (whom, { reason }) => `voided the round in play at ${whom}: ${String(reason ?? "")}`,
};

/** Who did something: somebody by name, or the operator at the server, or the server itself. */
export function doer(act: ActLine): string {
  if (act.by !== null) return act.by;
  return ["close", "closed", "factor-failed", "void"].includes(act.act) ? "The server" : "The operator";
}

/** What somebody did. A kind that is not known here is called what the service calls it. */
export function deed(act: ActLine): string {
  const words = WORDS[act.act];
  return words
    ? words(act.subject, act.detail, act.by !== null && act.subject.startsWith("person "))
    : `${act.act}, ${act.subject}`;
}

export const KINDS = Object.keys(WORDS);
