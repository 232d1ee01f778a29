/** Addresses of the page: which room, and what it shows. */

export type Route =
  | { room: "lobby" }
  | { room: "table"; table: number }
  | { room: "history" }
  | { room: "round"; id: string }
  | { room: "account" }
  | { room: "lab"; sheet: string | null; view: LabView }
  | { room: "own" }
  | { room: "simulation"; id: string }
  | { room: "nowhere" };

export const LAB_VIEWS = ["figures", "curves", "audit", "strategy", "simulate"] as const;
export type LabView = (typeof LAB_VIEWS)[number];

/** What an address shows. */
export function parse(path: string): Route {
  let parts: string[];
  try {
    parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  } catch {
    return { room: "nowhere" }; // signs that stand for no letters
  }
  const [room, one, two] = parts;
  if (room === undefined) return { room: "lobby" };
  if (room === "tables" && one && /^[1-9]\d{0,14}$/.test(one) && parts.length === 2)
    return { room: "table", table: Number(one) };
  if (room === "history" && parts.length === 1) return { room: "history" };
  if (room === "account" && parts.length === 1) return { room: "account" };
  if (room === "rounds" && one && /^\d+-\d+$/.test(one) && parts.length === 2) return { room: "round", id: one };
  if (room === "lab") {
    if (parts.length === 1) return { room: "lab", sheet: null, view: "figures" };
    if (one === "own" && parts.length === 2) return { room: "own" };
    if (one === "simulations" && two && parts.length === 3) return { room: "simulation", id: two };
    const view = LAB_VIEWS.find((name) => name === (two ?? "figures"));
    if (one && view && parts.length <= 3) return { room: "lab", sheet: one, view };
  }
  return { room: "nowhere" };
}
