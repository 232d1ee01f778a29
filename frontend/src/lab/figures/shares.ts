/** Where the money goes: of each 100 staked, what comes back by which line, and what the house keeps. */

import { ratio } from "../choice";
import type { WagerFigures } from "../../api/lab";

export interface Part {
  id: string;
  name: string;
  back: number;
}

export interface Shares {
  parts: Part[];
  kept: number;
}

/**
 * A line's stake follows from its return and its pay. Where a line neither wins nor loses its return does not tell;
 * such lines share what is left of the average wager by how often they come.
 */
export function shares(wager: WagerFigures): Shares | null {
  if (wager.house_edge === null || wager.lines.length === 0) return null;
  const average = wager.average_wager ?? 1;
  const stakes = wager.lines.map((line) => {
    const per = ratio(line.pays);
    return per === 0 ? null : per === null ? line.probability : line.return / per;
  });
  const known = stakes.reduce<number>((sum, stake) => sum + (stake ?? 0), 0);
  const pushes = wager.lines.reduce((sum, line, at) => sum + (stakes[at] === null ? line.probability : 0), 0);
  const left = Math.max(0, average - known);
  const parts = wager.lines.map((line, at) => {
    const stake = stakes[at] ?? (pushes > 0 ? (left * line.probability) / pushes : 0);
    return { id: line.id, name: line.name, back: Math.max(0, ((stake + line.return) / average) * 100) };
  });
  const back = parts.reduce((sum, part) => sum + part.back, 0);
  return { parts: parts.filter((part) => part.back > 1e-9), kept: 100 - back };
}
