import { describe, expect, it } from "vitest";
import { beats, hiddenBy } from "./beats";
import type { HandView, Now, RoundView, TableEvent } from "../api/table";

const hand = (number: number, cards: string[]): HandView => ({
  hand: number,
  cards,
  total: 0,
  soft: false,
  how: "",
  doubled: false,
});

function table(round: Partial<RoundView>): Now {
  const whole: RoundView = {
    number: 1,
    step: "over",
    bets: [],
    spots: {},
    dealer: null,
    player: null,
    banker: null,
    ...round,
  };
  const shoe = { number: 1, commitment: "", cut: true, seeds: [], cards: 312, dealt: 5, behind_cut: 78 };
  return { table: 1, seq: 2, status: "open", seats: [], shoe, round: whole, following: 1, waits: null };
}

describe("beats", () => {
  it("follow the deal and find each card's place", () => {
    const after = table({ spots: { "3": [hand(0, ["Ac", "5d"])] }, dealer: hand(0, ["6h", "--"]) });
    const events: TableEvent[] = [
      { event: "card", to: "spot", spot: 3, hand: 0, card: "Ac" },
      { event: "card", to: "dealer", card: "6h" },
      { event: "card", to: "spot", spot: 3, hand: 0, card: "5d" },
      { event: "card", to: "dealer", card: "--", face_up: false },
    ];
    expect(beats(events, after).map((beat) => beat.key)).toEqual([
      "spot.3.0.0",
      "dealer.0.0.0",
      "spot.3.0.1",
      "dealer.0.0.1",
    ]);
  });
  it("add a card behind those that lie there", () => {
    const after = table({ spots: { "3": [hand(0, ["Ac", "5d", "9s"])] }, dealer: hand(0, ["6h", "Kd", "4c"]) });
    const events: TableEvent[] = [
      { event: "card", to: "spot", spot: 3, hand: 0, card: "9s" },
      { event: "hole", card: "Kd" },
      { event: "card", to: "dealer", card: "4c" },
      { event: "settled", bet: 7, spot: 3, hand: 0, wager: "main", lines: [], pays: "lose", stake: 500, back: 0 },
    ];
    const found = beats(events, after);
    expect(found.map((beat) => beat.key)).toEqual(["spot.3.0.2", "dealer.0.0.1", "dealer.0.0.2", "bet.7"]);
    const hidden = hiddenBy(found);
    expect([...hidden.cards, ...hidden.turned, ...hidden.bets]).toEqual([
      "spot.3.0.2",
      "dealer.0.0.2",
      "dealer.0.0.1",
      "bet.7",
    ]);
  });
  it("are none before a round", () => {
    expect(beats([{ event: "sit", who: "Ann", spots: [3], chips: 500 }], { ...table({}), round: null })).toEqual([]);
  });
});
