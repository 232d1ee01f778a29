/** Tables as files. */

export type Cell = string | number | null | undefined;

export interface Table {
  columns: string[];
  rows: Cell[][];
}

function quoted(cell: Cell): string {
  if (cell === null || cell === undefined) return "";
  const text = String(cell);
  // A text that a spreadsheet would take for a formula is kept a text.
  const safe = typeof cell === "string" && /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

export function csv(table: Table): string {
  return [table.columns, ...table.rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

/** One object for each row, by the names of the columns. */
export function json(table: Table): string {
  const rows = table.rows.map((row) => Object.fromEntries(table.columns.map((name, at) => [name, row[at] ?? null])));
  return JSON.stringify(rows, null, 2) + "\n";
}
