/** How a finding of the audit is told. */

import type { Finding } from "../../api/lab";

export type Tone = "good" | "warn" | "bad";

const DIGITS = 3;

function percents(value: number): string {
  return `${(value * 100).toFixed(DIGITS).replace("-", "−")} %`;
}

/** The computed figure, or its range over the deck counts. */
export function computed([low, high]: readonly [number, number]): string {
  return Math.abs(high - low) < 0.5 * 10 ** -(DIGITS + 2) ? percents(low) : `${percents(low)} to ${percents(high)}`;
}

/** How far the computed figure is from the printed one, in points: nothing where the printed one lies within. */
export function apart(finding: Pick<Finding, "claimed" | "computed">): number {
  const [low, high] = finding.computed;
  if (finding.claimed < low) return low - finding.claimed;
  if (finding.claimed > high) return high - finding.claimed;
  return 0;
}

export function apartText(finding: Pick<Finding, "claimed" | "computed">): string {
  const points = apart(finding) * 100;
  if (Math.abs(points) < 0.5 * 10 ** -DIGITS) return "0.000";
  return `${points > 0 ? "+" : "−"}${Math.abs(points).toFixed(DIGITS)}`;
}

/** A verdict's colour; its word stands beside it. */
export function tone(verdict: string): Tone {
  if (verdict === "holds") return "good";
  return verdict.startsWith("holds") ? "warn" : "bad";
}

/** The verdict in one word, for a narrow column. */
export const WORDS: Record<Tone, string> = { good: "holds", warn: "holds within noise", bad: "does not follow" };
