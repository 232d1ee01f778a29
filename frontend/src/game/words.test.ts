import { describe, expect, it } from "vitest";
import { actionOfKey, cardName, named, rank, ruleName, sentences, topPay, waiting, wrap } from "./words";
import type { About, Now, Question, SeatView, TableEvent, WagerAbout } from "../api/table";

const wager: WagerAbout = {
  id: "bad-beat",
  name: "Bad Beat",
  base: false,
  placed: ["before-deal"],
  least: 100,
  most: 1000,
  lines: [
    { id: "push", name: "Push", pays: "push" },
    { id: "19", name: "19 beaten", pays: "15:1" },
    { id: "20", name: "20 beaten", pays: "20:1" },
  ],
};
const about = { wagers: [wager], game: "blackjack" } as unknown as About;

describe("words", () => {
  it("name cards, actions, rules and pays", () => {
    expect([cardName("As"), cardName("Td"), cardName("--")]).toEqual([
      "ace of spades",
      "10 of diamonds",
      "a card face down",
    ]);
    expect([rank("Td"), rank("9c")]).toEqual(["10", "9"]);
    expect([actionOfKey("p"), actionOfKey("x")]).toEqual(["split", ""]);
    expect([ruleName("das"), ruleName("match-on-double")]).toEqual(["Double after split", "Match on double"]);
    expect([topPay(wager), topPay({ ...wager, lines: [] })]).toEqual(["20 to 1", ""]);
    expect(wrap("three-card 9 over three-card 8", 18)).toEqual(["three-card 9 over", "three-card 8"]);
  });
  it("name whom the table waits for", () => {
    const seats = [{ name: "Ann" }, { name: "Ben", gone: true }] as SeatView[];
    const waits = (who: string[]): Question => ({ kind: "bets", who }) as Question;
    expect(waiting(waits(["Ann"]), seats)).toBe("Waiting for Ann");
    expect(waiting(waits(["Ann", "Ben"]), seats)).toBe("Waiting for Ann, Ben (seems to have gone)");
    expect(waiting(waits([]), seats)).toBe("The table waits for bets");
    expect(waiting(null, seats)).toBe("The table waits for bets");
  });
  it("tell who loses a spot, who goes and comes back", () => {
    const events: TableEvent[] = [
      { event: "gave-up", who: "Ann", spots: [2, 5] },
      { event: "gone", who: "Ann" },
      { event: "back", who: "Ann" },
      { event: "called-off", number: 4 },
    ];
    expect(sentences(events, { round: null, waits: null } as unknown as Now, about, [])).toEqual([
      "Ann did not play spot 2, 5 and loses it.",
      "Ann seems to have gone.",
      "Ann is back.",
      "Nobody asked for the deal: all wagers go back.",
    ]);
  });
  it("tell a step", () => {
    const now = {
      round: {
        spots: { "3": [{ hand: 0, cards: ["Ac", "5d"], total: 16, soft: true, how: "", doubled: false }] },
        dealer: { hand: 0, cards: ["6h", "--"], total: 6, soft: false, how: "", doubled: false },
        player: null,
        banker: null,
      },
      waits: { kind: "action", spot: 3, actions: ["stand", "hit"] },
    } as unknown as Now;
    const events: TableEvent[] = [
      { event: "card", to: "spot", spot: 3, hand: 0, card: "Ac" },
      { event: "card", to: "dealer", card: "6h" },
      {
        event: "settled",
        bet: 1,
        spot: 3,
        wager: "bad-beat",
        hand: 0,
        pays: "lose",
        stake: 500,
        back: 0,
        lines: [],
        taken: true,
      },
      { event: "over", nets: { "3": -500 } },
    ];
    expect(sentences(events, now, about, [3])).toEqual([
      "Your spot 3: ace of clubs, 5 of diamonds; soft 16.",
      "Dealer: 6 of hearts, a card face down.",
      "Bad Beat is taken, 5.",
      "You lost 5 in all.",
      "Your turn on spot 3: Stand, Hit.",
    ]);
  });
});

describe("told rounds", () => {
  const about = {
    wagers: [
      ["main", "Blackjack"],
      ["tie", "Tie"],
      ["action-match", "Action Match"],
      ["match", "Match"],
    ].map(([id, name]) => ({ id, name })),
  } as unknown as About;
  it("name wagers, and change nothing else", () => {
    expect(
      [
        "spot 1 wagers 1,010.00 on main",
        "spot 2 takes 25.00 back from tie",
        "spot 1 adds 5.00 to main",
        "spot 1, hand 2, action-match: 1.00 lost",
        "spot 1, tie: it is a tie, pays 8:1",
        "Player 7, Banker 7: it is a tie",
      ].map((sentence) => named(about, sentence)),
    ).toEqual([
      "spot 1 wagers 1,010.00 on Blackjack",
      "spot 2 takes 25.00 back from Tie",
      "spot 1 adds 5.00 to Blackjack",
      "spot 1, hand 2, Action Match: 1.00 lost",
      "spot 1, Tie: it is a tie, pays 8:1",
      "Player 7, Banker 7: it is a tie",
    ]);
  });
});
