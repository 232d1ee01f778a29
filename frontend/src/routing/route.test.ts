import { describe, expect, it } from "vitest";
import { parse } from "./route";

describe("addresses", () => {
  it.each([
    ["/", { room: "lobby" }],
    ["/tables/12", { room: "table", table: 12 }],
    ["/tables/0", { room: "nowhere" }],
    ["/tables/x", { room: "nowhere" }],
    ["/rounds/3-14", { room: "round", id: "3-14" }],
    ["/rounds/314", { room: "nowhere" }],
    ["/lab", { room: "lab", sheet: null, view: "figures" }],
    ["/lab/bad-beat-blackjack/audit", { room: "lab", sheet: "bad-beat-blackjack", view: "audit" }],
    ["/lab/bad-beat-blackjack/nothing", { room: "nowhere" }],
    ["/lab/own", { room: "own" }],
    ["/lab/simulations/ab12", { room: "simulation", id: "ab12" }],
    ["/history/more", { room: "nowhere" }],
    ["/lab/%zz", { room: "nowhere" }],
  ])("%s", (path, route) => {
    expect(parse(path)).toEqual(route);
  });
});
