/** The names of sheets, for what is told by their ids: each is asked for once. */

import { ask } from "../api/requests";
import type { SheetAbout } from "../api/lab";

const known = new Map<string, Promise<string>>();

/** A sheet's name; where it cannot be had, the id of a built-in one, or that it is somebody's own. */
export function sheetName(id: string): Promise<string> {
  const found =
    known.get(id) ??
    ask<SheetAbout>(`/lab/sheets/${encodeURIComponent(id)}`).then(
      (about) => about.name,
      () => {
        known.delete(id); // to be asked again
        return id.length === 64 ? "your own sheet" : id;
      },
    );
  known.set(id, found);
  return found;
}
