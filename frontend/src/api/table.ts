/** The shapes in which the service tells of tables. Nothing here is worked out: it is what the server says. */

export interface SeatView {
  name: string;
  spots: number[];
  chips: number;
  ready: boolean;
  away: boolean;
  leaving: boolean;
  gone: boolean;
  kept: Record<string, number>;
}

export interface ShoeView {
  number: number;
  commitment: string;
  cut: boolean;
  seeds: [string, string][];
  cards: number;
  dealt: number;
  behind_cut: number;
}

export interface BetView {
  bet: number;
  spot: number;
  hand: number;
  wager: string;
  stake: number;
  back: number | null;
  lines: string[];
}

export interface HandView {
  hand: number;
  cards: string[];
  total: number;
  soft: boolean;
  how: string;
  doubled: boolean;
}

export interface RoundView {
  number: number;
  step: string;
  bets: BetView[];
  spots: Record<string, HandView[]>;
  dealer: HandView | null;
  player: HandView | null;
  banker: HandView | null;
}

export interface Question {
  kind: string;
  turn: string;
  spot: number;
  hand: number;
  actions: string[];
  side: Record<string, string[]>;
  most: number;
  until: number | null;
  who: string[];
}

export interface Now {
  table: number;
  seq: number;
  status: string;
  seats: SeatView[];
  shoe: ShoeView;
  round: RoundView | null;
  following: number;
  waits: Question | null;
}

export interface LineAbout {
  id: string;
  name: string;
  pays: string;
}

export interface WagerAbout {
  id: string;
  name: string;
  base: boolean;
  placed: string[];
  least: number;
  most: number;
  lines: LineAbout[];
}

export interface About {
  id: number;
  name: string;
  sheet: string;
  sheet_name: string;
  game: string;
  headline: string;
  modified: string[];
  config: { decks: number; rules: Record<string, string>; seats: number; [key: string]: unknown };
  config_sha256: string;
  wagers: WagerAbout[];
  procedure: [string, string][];
  notes: string[];
}

export interface TableAnswer {
  about: About;
  now: Now;
}

export interface TableLine {
  id: number;
  name: string;
  sheet: string;
  game: string;
  headline: string;
  seats: number;
  free: number[];
  limits: Record<string, [number, number]>;
  status: string; // "open", "closing" or "out of order"
  trouble: string; // what is wrong with it, for the house
}

/** What a player allows themselves in a day of play, what holds later, and what this day has cost. */
export interface MyLimits {
  loss: number | null;
  minutes: number | null;
  later: { loss: number | null; minutes: number | null; at: number } | null;
  lost: number;
  began: number | null;
  ends: number | null;
}

/** Where somebody is logged in. */
export interface SessionLine {
  id: string;
  made_at: number;
  used_at: number | null;
  ends_at: number;
  this: boolean;
}

/** Something that was done beside play. */
export interface ActLine {
  id: number;
  at: number;
  by: string | null;
  act: string;
  subject: string;
  detail: Record<string, unknown>;
}

/** Something that happened: `event` says what, the other fields depend on it. */
export interface TableEvent {
  event: string;
  step?: string;
  to?: string;
  card?: string;
  face_up?: boolean;
  spot?: number;
  hand?: number;
  new_hand?: number;
  bet?: number;
  wager?: string;
  amount?: number;
  action?: string;
  how?: string;
  total?: number;
  natural?: boolean;
  finished?: boolean;
  even_money?: boolean;
  player?: number;
  banker?: number;
  result?: string;
  lines?: string[];
  pays?: string;
  stake?: number;
  back?: number;
  taken?: boolean;
  reason?: string;
  nets?: Record<string, number>;
  who?: string;
  was?: string;
  spots?: number[];
  chips?: number;
  number?: number;
  seed?: string;
  commitment?: string;
  order?: string;
  reserve?: string;
}

export interface Step {
  table: number;
  seq: number;
  at: number;
  round: number | null;
  events: TableEvent[];
  now?: Now;
}

export interface StoryStep {
  step: string;
  number: number;
  title: string;
  rule: string;
  lines: string[];
}

export interface RoundAnswer {
  id: string;
  table: number;
  number: number;
  sheet: string;
  sheet_sha256: string;
  config_sha256: string;
  shoe: string;
  over: boolean;
  began_at: number;
  ended_at: number | null;
  steps: { seq: number; at: number; events: TableEvent[] }[];
  bets: { bet: number; player: string; spot: number; hand: number; wager: string; stake: number; back: number; lines: string[] }[];
  told: string[];
  story: StoryStep[];
}

/** A moment of a round: what happened, and the felt after it. `opens`: a step of the procedure begins. */
export interface Frame {
  step: string;
  number: number;
  opens: boolean;
  text: string;
  dealt: number;
  round: RoundView;
}

export interface ReplayAnswer {
  id: string;
  over: boolean;
  cards: number;
  behind_cut: number;
  frames: Frame[];
}

export interface RoundLine {
  id: string;
  table: number;
  name: string;
  sheet: string;
  at: number;
  stake: number;
  back: number;
}

export interface ShoeAnswer {
  id: string;
  table: number;
  decks: number;
  burn: number;
  behind_cut: number;
  commitment: string;
  seeds: [string, string][];
  revealed: boolean;
  order: string | null;
  reserve: string | null;
  rounds: string[];
}

/** A mark of a road: who won, or the colour of a derived one; `ties` followed it. */
export interface Mark {
  column: number;
  row: number;
  is: string;
  ties: number;
}

export interface Scoreboard {
  table: number;
  shoe: number;
  results: { round: string; result: string; player: number; banker: number }[];
  roads: { bead: Mark[]; big: Mark[]; big_eye: Mark[]; small: Mark[]; cockroach: Mark[] };
}

/** What an action is worth, in stakes of the hand. */
export interface ActionWorth {
  action: string;
  main: number;
  side: Record<string, number>;
  total: number;
}

/** A decision; of one that was taken, which it was and its cost in cents. */
export interface Coaching {
  turn: string;
  spot: number;
  hand: number;
  cards: string[];
  up: string;
  stake: number;
  best: string;
  actions: ActionWorth[];
  offers: Record<string, number>;
  left_out: string[];
  chosen: string;
  cost: number;
}

export interface WagerBook {
  wager: string;
  bets: number;
  handle: number;
  win: number;
  hold: number | null;
  edge: number | null;
  expected: number | null;
  deviations: number | null;
  note: string;
}

export interface TableBook {
  table: number;
  name: string;
  sheet: string;
  status: string;
  rounds: number;
  float: number;
  wagers: WagerBook[];
  trouble: string; // what of it cannot be read
}

export interface Books {
  players: number;
  floats: number;
  house: number;
  bought_in: number;
  tables: TableBook[];
}
