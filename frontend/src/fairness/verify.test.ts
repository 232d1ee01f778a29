import { describe, expect, it } from "vitest";
import { commitment, dealt, shuffle, verify, wholeShoe } from "./verify";
import { shake256 } from "./shake256";
import type { ShoeAnswer, TableEvent } from "../api/table";

const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const ORDER = "2e325faa633406bc44dc2a627940eee3cba6f875c2e84496e7857dd86";
const RESERVE = "23ec33dd6887e840043e58844c2354e2bb7740a63c1d8fac168fb90d7";
const PUBLISHED = "65987aa3ca2264b92c2da1bedae6a33550b80157168a1be9cffb121cd4e8c37d";
const shoe: ShoeAnswer = {
  id: "12-3",
  table: 12,
  decks: 1,
  burn: 1,
  behind_cut: 26,
  commitment: PUBLISHED,
  seeds: [["Ada", "lucky seven"]],
  revealed: true,
  order: ORDER,
  reserve: RESERVE,
  rounds: [],
};

describe("SHAKE256", () => {
  it("gives the known answers", () => {
    expect(hex(shake256(text(""), 32))).toBe("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f");
    expect(hex(shake256(text("abc"), 16))).toBe("483366601360a8771c6863080cc4114d");
    expect(hex(shake256(new Uint8Array(200).fill(0xa3), 32))).toBe(
      "cd8a920ed141aa0407a22d59288652e9d9f1a7ee0c1e7c1ca699424da84a904d",
    );
    expect(shake256(text("abc"), 300)).toHaveLength(300);
  });
});

describe("a shoe that is over", () => {
  it("has the commitment and the order of the documented example", async () => {
    expect(await commitment(shoe, ORDER, RESERVE)).toBe(PUBLISHED);
    expect(wholeShoe(1, ORDER, ["lucky seven"]).slice(0, 6)).toEqual(["2s", "Jh", "7h", "8c", "6d", "5s"]);
    expect(wholeShoe(1, ORDER, []).slice(0, 6)).not.toEqual(["2s", "Jh", "7h", "8c", "6d", "5s"]);
  });
  it("shuffles by each number differently", () => {
    const orders = Array.from({ length: 6 }, (_, number) => shuffle(["a", "b", "c"], BigInt(number)).join(""));
    expect(new Set(orders).size).toBe(6);
  });
  it("is compared with the cards of its rounds", async () => {
    const card = (name: string): TableEvent => ({ event: "card", to: "dealer", card: name });
    const hole: TableEvent = { event: "hole", card: "7h" };
    const round = { id: "12-1", steps: [{ seq: 1, at: 0, events: [card("Jh"), card("--"), hole, card("--")] }] };
    expect(dealt(round)).toEqual(["Jh", "7h", "--"]);
    expect(await verify(shoe, [round])).toEqual({ commitment: true, cards: 2, unseen: 1, wrong: null });
    const other = { id: "12-2", steps: [{ seq: 2, at: 0, events: [card("As")] }] };
    expect((await verify({ ...shoe, commitment: "00" }, [round, other])).wrong).toEqual({
      round: "12-2",
      place: 5,
      dealt: "As",
      shoe: "6d",
    });
  });
  it("goes on with the discards when it runs out", async () => {
    const whole = wholeShoe(1, ORDER, ["lucky seven"]);
    const again = shuffle(whole.slice(0, 41), BigInt(`0x${RESERVE}`));
    const events = (cards: string[]) => [
      { seq: 1, at: 0, events: cards.map((card): TableEvent => ({ event: "card", to: "dealer", card })) },
    ];
    const rounds = [
      { id: "12-1", steps: events(whole.slice(1, 41)) },
      { id: "12-2", steps: events([...whole.slice(41), ...again.slice(0, 3)]) },
    ];
    expect(await verify(shoe, rounds)).toEqual({ commitment: true, cards: 54, unseen: 0, wrong: null });
  });
});
