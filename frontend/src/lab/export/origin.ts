/** Which table figures are of: set by a room, and written into every file that is downloaded there. */

import { getContext, setContext } from "svelte";
import type { Table } from "./csv";

const KEY = Symbol("the table that figures are of");
type Origin = () => string;

/** In this room figures are of the table with this address, which has every choice in it. */
export function setOrigin(origin: Origin): void {
  setContext(KEY, origin);
}

export function getOrigin(): Origin {
  return getContext<Origin | undefined>(KEY) ?? ((): string => "");
}

/** The same rows, each with the table that it is of. */
export function withOrigin(table: Table, origin: string): Table {
  if (!origin) return table;
  return { columns: [...table.columns, "table"], rows: table.rows.map((row) => [...row, origin]) };
}
