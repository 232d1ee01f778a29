import { describe, expect, it } from "vitest";
import {
  address,
  asPrinted,
  extras,
  fromTable,
  pay,
  plain,
  printedFor,
  query,
  ratio,
  read,
  table,
  withDecks,
  withOffered,
  withPay,
  withPaytable,
  withRule,
} from "./choice";
import { csv, json } from "./export/csv";
import { axisPercent, edge, probability, short, whole, deckCounts } from "./format";
import { axes, band, nearest, path, span, step, type Box, type Point } from "./charts/scale";
import { shares } from "./figures/shares";
import type { Line, SheetAbout, WagerFigures } from "../api/lab";

const full = {
  ...plain("bad-beat-blackjack"),
  decks: 6,
  option: "2",
  paytables: { "bad-beat": "P1" },
  rules: { soft17: "stand", das: "no" },
  pays: { "bad-beat/20-beaten": "25:1" },
  offered: ["main", "bad-beat"],
  strategy: "joint:1",
  remove: "As Kd",
};

describe("a choice in an address", () => {
  it("says all and reads back the same", () => {
    expect(read("bad-beat-blackjack", query(full))).toEqual(full);
    expect(address(full, "figures")).toBe(
      "/lab/bad-beat-blackjack/figures?decks=6&option=2&paytable=bad-beat=P1&rule=das=no&rule=soft17=stand" +
        "&pay=bad-beat/20-beaten=25:1&offered=main,bad-beat&strategy=joint:1&remove=As+Kd",
    );
  });
  it("says nothing of what is not chosen", () => {
    expect(address(plain("x"), "audit")).toBe("/lab/x/audit");
    expect(query(plain("x"), { wager: "tie", line: null, over: "" })).toBe("?wager=tie");
  });
  it("leaves out what cannot be read", () => {
    expect(read("x", "?decks=-3&rule=soft17&pay==4:1&paytable=a=")).toEqual(plain("x"));
  });
  it("goes to the service and back", () => {
    expect(fromTable(table(full))).toEqual(full);
    expect(fromTable(table(plain("x")))).toEqual(plain("x"));
    expect(table(full)["paytables"]).toEqual(["bad-beat=P1"]);
  });
});

describe("changes of a choice", () => {
  const about = {
    usual: { decks: 6, option: null, paytables: { side: "A" } },
    wagers: [
      {
        id: "side",
        base: false,
        excludes: ["rival"],
        paytables: [
          { id: "A", decks: [6], pays: { win: "9:1" } },
          { id: "A", decks: [8], pays: { win: "8:1" } },
          { id: "B", decks: [2, 8], pays: {} },
        ],
      },
      { id: "rival", base: false, excludes: [], paytables: [{ id: "standard", decks: [2, 4, 6, 8], pays: {} }] },
      { id: "main", base: true, excludes: [], paytables: [{ id: "standard", decks: [2, 4, 6, 8], pays: {} }] },
    ],
  } as unknown as SheetAbout;
  it("keeps only paytables that are printed for the decks", () => {
    const chosen = {
      ...plain("x"),
      paytables: { side: "A" },
      pays: { "side/win": "7:1", "rival/win": "2:1" },
      offered: ["side"],
    };
    expect(withDecks(about, chosen, 8)).toEqual({ ...chosen, decks: 8 });
    expect(withDecks(about, chosen, 2)).toEqual({ ...chosen, decks: 2, paytables: {}, pays: { "rival/win": "2:1" } });
    expect(withDecks(about, chosen, 4)).toEqual({
      ...chosen,
      decks: 4,
      paytables: {},
      pays: { "rival/win": "2:1" },
      offered: [],
    });
  });
  it("finds the pays of a paytable for the decks", () => {
    const [side] = about.wagers;
    expect(side && [6, 8, 4].map((decks) => printedFor(side, decks).map((one) => one.pays["win"]))).toEqual([
      ["9:1"],
      ["8:1", undefined],
      [],
    ]);
  });
  it("offers a wager in place of those that it excludes", () => {
    const [side, rival] = about.wagers;
    if (!side || !rival) throw new Error("no wagers");
    const chosen = { ...plain("x"), pays: { "side/win": "7:1" } };
    expect(withOffered(about, chosen, ["side", "main"], rival)).toEqual({ ...plain("x"), offered: ["rival"] });
    expect(withOffered(about, chosen, ["rival"], side).offered).toEqual(["side"]);
  });
  it("keeps what an address says beside it", () => {
    expect(extras(query(full, { wager: "tie", ratio: "1" }))).toEqual({ wager: "tie", ratio: "1" });
  });
  it("takes a printed pay or rule for no change", () => {
    expect(withPay(full, "bad-beat", "20-beaten", "20:1", "20:1").pays).toEqual({});
    expect(withPay(full, "bad-beat", "19-push", "6:1", "5:1").pays["bad-beat/19-push"]).toBe("6:1");
    expect(withRule(full, "das", "yes", "yes").rules).toEqual({ soft17: "stand" });
  });
  it("goes back to print, for one wager", () => {
    expect(asPrinted({ ...full, pays: { ...full.pays, "tie/tie": "9:1" } }, "bad-beat").pays).toEqual({
      "tie/tie": "9:1",
    });
    expect(withPaytable(full, "bad-beat", "P3")).toMatchObject({ paytables: { "bad-beat": "P3" }, pays: {} });
  });
  it.each([
    ["25", "25:1"],
    [" 25 to 1", "25:1"],
    ["19:20", "19:20"],
    ["Push", "push"],
    ["lose 1:2", "lose 1:2"],
    ["25:", null],
    ["3:0", null],
    ["", null],
    ["-1:1", null],
  ])("reads the pay %s", (typed, meant) => expect(pay(typed)).toBe(meant));
  it("knows what pays are worth", () => {
    expect(["push", "lose", "3:2", "lose 1:2", "by rank"].map(ratio)).toEqual([0, -1, 1.5, -0.5, null]);
  });
});

const line = (id: string, pays: string, probability: number, back: number): Line => ({
  id,
  name: id,
  pays,
  combinations: null,
  probability,
  return: back,
});

describe("where the money goes", () => {
  it("adds up to the stake", () => {
    const wager = {
      house_edge: 0.1,
      average_wager: null,
      lines: [line("a", "4:1", 0.1, 0.4), line("b", "push", 0.4, 0), line("", "lose", 0.5, -0.5)],
    };
    const found = shares(wager as WagerFigures);
    expect(found?.parts.map((part) => [part.id, Math.round(part.back)])).toEqual([
      ["a", 50],
      ["b", 40],
    ]);
    expect(found?.kept).toBeCloseTo(10);
  });
  it("weighs lines by their stakes where hands are doubled", () => {
    const wager = {
      house_edge: 0.02,
      average_wager: 1.1,
      lines: [line("win", "1:1", 0.4, 0.46), line("push", "push", 0.08, 0), line("", "lose", 0.5, -0.48)],
    };
    const found = shares(wager as WagerFigures);
    expect(found?.kept).toBeCloseTo((0.02 / 1.1) * 100);
    expect(found?.parts.map((part) => part.id)).toEqual(["win", "push"]);
  });
  it("is silent where there are no figures", () => {
    expect(shares({ house_edge: null, lines: [] } as unknown as WagerFigures)).toBeNull();
  });
});

describe("tables as files", () => {
  const made = {
    columns: ["a", "b"],
    rows: [
      ['say "x", y', 1],
      [null, -0.5],
      ["=1+1", "−2"],
    ],
  };
  it("quotes what needs it", () => {
    expect(csv(made)).toBe('a,b\r\n"say ""x"", y",1\r\n,-0.5\r\n\'=1+1,−2\r\n');
  });
  it("names every cell", () => {
    expect(JSON.parse(json(made))).toEqual([
      { a: 'say "x", y', b: 1 },
      { a: null, b: -0.5 },
      { a: "=1+1", b: "−2" },
    ]);
  });
});

describe("figures in words", () => {
  it("writes them as the lab does", () => {
    expect([
      edge(0.068813),
      edge(-0.0002),
      edge(null),
      probability(0.0041469),
      whole("4998398275503360"),
      whole(97032),
    ]).toEqual(["6.8813 %", "−0.0200 %", "–", "0.004147", "4,998,398,275,503,360", "97,032"]);
    expect([short(2_500_000), short(500), short(20_000)]).toEqual(["2.5 M", "500", "20 k"]);
  });
  it("gives an axis the digits it needs", () => {
    expect([0, 0.01].map(axisPercent([0, 0.01]))).toEqual(["0 %", "1 %"]);
    expect([-0.0005, 0].map(axisPercent([-0.0005, 0]))).toEqual(["−0.05 %", "0.00 %"]);
  });
});

describe("charts", () => {
  const box: Box = { width: 300, height: 200, left: 50, right: 10, top: 10, bottom: 30 };
  const points: Point[] = [1, 2, 4].map((x) => ({
    x,
    y: x / 10,
    low: x / 10 - 0.05,
    high: x / 10 + 0.05,
    label: String(x),
  }));
  const to = axes(box, points, span(points));
  it("span the points, their bands and marked lines", () => {
    const [low, high] = span(points, [0.9]);
    expect(low).toBeLessThan(0.05);
    expect(high).toBeGreaterThan(0.9);
    expect(span([])).toEqual([0, 1]);
    const [flat, above] = span([{ x: 1, y: 0, label: "" }]);
    expect(above).toBeGreaterThan(flat);
  });
  it("put the first point left and the last right", () => {
    expect([to.x(1), to.x(4)]).toEqual([50, 290]);
    expect(to.y(0.4)).toBeLessThan(to.y(0.1));
    expect(path(points, to)).toMatch(/^M50,[\d.]+L130,[\d.]+L290,[\d.]+$/);
    expect(band(points, to)).toMatch(/^M.*Z$/);
    expect(band([], to)).toBe("");
  });
  it("find the point under the pointer and step along by keys", () => {
    expect([nearest(points, to, 0), nearest(points, to, 120), nearest(points, to, 280)]).toEqual([0, 1, 2]);
    expect([
      step("ArrowRight", -1, 3),
      step("ArrowRight", 2, 3),
      step("ArrowLeft", 0, 3),
      step("End", 0, 3),
      step("x", 0, 3),
      step("Home", 1, 0),
    ]).toEqual([0, 2, 0, 2, null, null]);
  });
});

describe("deck counts", () => {
  it("are a range only where none is left out", () => {
    expect([[1, 2, 3, 4, 5, 6, 7, 8], [6, 8], [2, 4, 6, 8], [1], [6]].map(deckCounts)).toEqual([
      "1 to 8 decks",
      "6 or 8 decks",
      "2, 4, 6 or 8 decks",
      "1 deck",
      "6 decks",
    ]);
  });
});
