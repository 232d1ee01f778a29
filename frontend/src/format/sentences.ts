/** The service's words as sentences of the page. */

/** With an end, where it has none yet. */
export function ended(text: string): string {
  return /[.?!…]$/.test(text) ? text : `${text}.`;
}

/** So many of something. */
export function count(number: number, one: string): string {
  return `${number.toLocaleString("en-US")} ${number === 1 ? one : `${one}s`}`;
}
