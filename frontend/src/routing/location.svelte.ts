/** Where the user is. Links inside the page change the address without loading it anew. */

import { parse } from "./route";

export const place = $state({ path: location.pathname, query: location.search });

/** What the address shows. */
export function here(): ReturnType<typeof parse> {
  return parse(place.path);
}

function look(): void {
  place.path = location.pathname;
  place.query = location.search;
}

/** Go to an address of the page; `replace` leaves no step behind, for changes of what the same view shows. */
export function go(address: string, replace = false): void {
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  const room = place.path;
  look();
  if (!replace && room !== place.path) scrollTo(0, 0);
}

addEventListener("popstate", look);
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (
    link.origin !== location.origin ||
    link.target ||
    link.hasAttribute("download") ||
    link.pathname.startsWith("/api/")
  )
    return;
  if (link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search);
});
