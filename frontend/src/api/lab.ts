/** What the lab's part of the service answers. */

export interface SheetShort {
  id: string;
  name: string;
  game: string;
  summary: string;
  decks: number[];
  sha256: string;
}

export interface Rule {
  key: string;
  values: string[];
  default: string;
  sentence: string;
  own: boolean;
}

export interface Paytable {
  id: string;
  decks: number[];
  pays: Record<string, string>;
}

export interface SheetWager {
  id: string;
  name: string;
  sentence: string;
  base: boolean;
  placed: string[];
  excludes: string[];
  lines: { id: string; name: string; options: string[] }[]; // options: those that it is for, where it is not for all
  paytables: Paytable[];
}

export interface SheetAbout {
  id: string;
  name: string;
  game: string;
  version: string;
  summary: string;
  sha256: string;
  builtin: boolean;
  text: string;
  decks: number[];
  usual: { decks: number; option: string | null; paytables: Record<string, string> };
  options: { id: string; sentence: string }[];
  rules: Rule[];
  wagers: SheetWager[];
  strategies: string[];
  procedure: [string, string][];
  readings: { id: string; point: string; reading: string; evidence: string }[];
  sources: { id: string; title: string; date: string | null; note: string | null }[];
}

export interface Line {
  id: string;
  name: string;
  pays: string;
  combinations: string | null;
  probability: number;
  return: number;
}

export interface WagerFigures {
  id: string;
  name: string;
  base: boolean;
  paytable: string | null;
  known: "up-card" | "in-play" | null;
  strategy: string | null;
  why_not: string | null;
  house_edge: number | null;
  element_of_risk: number | null;
  average_wager: number | null;
  hit_frequency: number | null;
  push_frequency: number | null;
  standard_deviation: number | null;
  variance: number | null;
  skewness: number | null;
  largest_pay: string | null;
  total: string | null;
  counted: string | null;
  lines: Line[];
}

export interface Figures {
  headline: string;
  modified: string[];
  pays: Record<string, Record<string, string>>;
  wagers: WagerFigures[];
}

export type Over = "decks" | "pay" | "removed" | "depth";

export interface SeriesPoint {
  x: number;
  label: string;
  house_edge: number;
  low: number | null;
  high: number | null;
  share: number | null;
}

export interface Series {
  over: Over;
  x_name: string;
  points: SeriesPoint[];
}

export interface Finding {
  wager: string;
  paytable: string;
  figure: string;
  decks: number[];
  option: string | null;
  strategy: string | null;
  printed: string;
  claimed: number;
  computed: [number, number];
  verdict: string;
  words: string;
  source: string;
  others: { reading: string; wager: string; computed: number }[];
}

export interface Alternative {
  reading: string;
  wager: string;
  paytable: string | null;
  decks: number;
  read: number | null;
  other: string;
  computed: number;
}

export interface Audit {
  findings: Finding[];
  alternatives: Alternative[];
}

export interface StrategyRow {
  kind: string;
  label: string;
  codes: (string | null)[];
  bonus: (string | null)[];
}

export interface Deviation {
  hand: string;
  up: string;
  action: string;
  instead_of: string;
  cost: number;
  gain: number;
  ratio: number | null;
}

export interface Strategy {
  strategy: string;
  house_edge: Record<string, number>;
  up_cards: string[];
  rows: StrategyRow[];
  meanings: Record<string, string>;
  hands: { hand: string; up: string; code: string }[];
  changes: { hand: string; up: string; code: string; without: string }[];
  cost: number | null;
  deviations: Deviation[];
}

export interface SimulatedWager {
  id: string;
  name: string;
  bets: number;
  house_edge: number | null;
  error: number | null;
  exact: number | null;
  z: number | null;
}

export interface Simulation {
  id: string;
  table: { sheet: string } & Record<string, unknown>;
  headline: string;
  rounds: number;
  dealt: number;
  seed: number;
  mode: "fresh" | "shoe";
  spots: number;
  rate: number | null;
  status: "waiting" | "running" | "done" | "stopped" | "failed";
  why: string | null;
  wagers: SimulatedWager[];
  history: { dealt: number; wagers: Record<string, { house_edge: number; error: number | null }> }[];
}
