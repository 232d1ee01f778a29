import { describe, expect, it } from "vitest";
import { deed, doer, KINDS } from "./audit-trail";
import type { ActLine } from "../api/table";

const FLOOR = import.meta.glob<string>("../../../src/feltlab/floor/**/*.py", {
  query: "?raw",
  import: "default",
  eager: true,
});
const act = (
  kind: string,
  detail: ActLine["detail"] = {},
  by: string | null = "Ada",
  subject = "person 25",
): ActLine => ({ id: 1, at: 0, by, act: kind, subject, detail });

/** The kinds that the floor records: named where they are recorded, as the reason of a transfer that no table tells of, or as a command. */
function recorded(): Set<string> {
  const found = new Set<string>();
  for (const text of Object.values(FLOOR)) {
    for (const [, kind] of text.matchAll(/\bact="([a-z-]+)"/g)) found.add(String(kind));
    for (const [, kind] of text.matchAll(/record_person\([^"()]*(?:\.id)?[^"()]*"([a-z-]+)"/g)) found.add(String(kind));
    if (text.includes("record_transfer("))
      for (const [, kind] of text.matchAll(/ledger\.move\([^"]*"([a-z-]+)"\)/g)) found.add(String(kind));
    for (const [, kind] of text.matchAll(/class (?:CloseTable|VoidRound)\(.*tag="([a-z-]+)"/g)) found.add(String(kind));
  }
  return found;
}

describe("what was done", () => {
  it("has words for every kind that is recorded, and for no other", () => {
    expect([...recorded()].sort()).toEqual([...KINDS].sort());
  });
  it("shows no names of columns, no cents and no times of the clock", () => {
    const detail = {
      amount: 1050,
      at: 1795093458459,
      source: "bank",
      target: "chips:25",
      loss: 2500,
      minutes: 1,
      later_loss: null,
      later_minutes: null,
      later_at: 1795093458459,
      kind: "house",
      row: "ab12",
      link: "cd34",
      steps: 3,
      ended: 2,
      left: 7,
      reason: "a card was seen",
    };
    for (const kind of KINDS) {
      for (const by of ["Ada", null]) {
        const told = deed(
          act(
            kind,
            detail,
            by,
            kind === "open" || kind.startsWith("close") || kind === "void" ? "table 3" : "person 25",
          ),
        );
        expect(told).not.toMatch(/_|1795093458459|1050|ab12|cd34|undefined|null|chips:/);
      }
    }
  });
  it("says money as money, and who did it", () => {
    expect(deed(act("buy-in", { amount: 1050 }))).toBe("bought 10.50 in chips");
    expect(deed(act("limits", { loss: 2500, minutes: 1, later_loss: null, later_minutes: null, later_at: null }))).toBe(
      "allowed themselves to lose 25 and to play for 1 minute in a day of play",
    );
    expect(deed(act("account", { kind: "house" }, null))).toBe("made a house account, person 25");
    expect(deed(act("account", { kind: "guest" }))).toBe("came as a guest");
    expect(deed(act("void", { reason: "a card was seen" }, "house", "table 3"))).toBe(
      "voided the round in play at table 3: a card was seen",
    );
    expect([doer(act("closed", {}, null)), doer(act("password", {}, null)), doer(act("open"))]).toEqual([
      "The server",
      "The operator",
      "Ada",
    ]);
    expect(deed(act("brand-new"))).toBe("brand-new, person 25");
  });
});
