/** The service's shapes. Written by tools/typescript.py from the OpenAPI document (`make types`): change those instead. */

/** A full description of a table, with every choice; the hashes identify the sheet and the configuration. */
export interface About {
  id: number;
  name: string;
  sheet: string;
  sheet_name: string;
  game: string;
  headline: string;
  modified: string[];
  config: Config;
  config_sha256: string;
  wagers: WagerAbout[];
  procedure: [string, string][];
  notes: string[];
}

/**
 * Something that was done beside play; `by` is who did it, or None for the operator's commands and the server itself.
 */
export interface ActLine {
  id: number;
  at: number;
  by: string | null;
  act: string;
  subject: string;
  detail: Record<string, unknown>;
}

/** A player acted on a hand. */
export interface Acted {
  event: "action";
  spot: number;
  hand: number;
  action: string;
}

/** The value of an action in units of the hand's stake: for the main wager, for each side wager, and in total. */
export interface ActionWorth {
  action: string;
  main: number;
  side: Record<string, number>;
  total: number;
}

/** A table whose pays are written into a copy of its sheet. */
export interface AskCopy {
  table: SheetTable;
}

/** Which figures of a table: those that are counted, those that depend on play, or all of these wagers. */
export interface AskFigures {
  table: SheetTable;
  part?: "counted" | "played" | "all";
  wagers?: string[] | null;
}

/** What a wager's edge is to be followed over; `line` is the one whose pay changes. */
export interface AskSeries {
  table: SheetTable;
  wager: string;
  over: "decks" | "pay" | "removed" | "depth";
  line?: string | null;
}

/** A table whose strategy is drawn; with `ratio`, the side stake to the main one, the best play for both. */
export interface AskStrategy {
  table: SheetTable;
  ratio?: number | null;
}

/** The house edge of a wager under the reading `other`; `read` is the edge under the sheet's own reading, if any. */
export interface AuditAlternative {
  reading: string;
  wager: string;
  paytable: string;
  decks: number;
  read: number | null;
  other: string;
  computed: number;
}

/** The audit's findings, and the house edges under other readings. */
export interface AuditAnswer {
  findings: AuditFinding[];
  alternatives: AuditAlternative[];
}

/** A printed figure, the computed one as a range over the deck counts, and the verdict. */
export interface AuditFinding {
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
  others: OtherReading[];
}

/** A wager of a round and what it returned, in cents. */
export interface BetLine {
  bet: number;
  player: string;
  spot: number;
  hand: number;
  wager: string;
  stake: number;
  back: number;
  lines: string[];
}

/** A player placed a wager. `hand` is the hand that it rides on. */
export interface BetPlaced {
  event: "bet";
  bet: number;
  spot: number;
  hand: number;
  wager: string;
  amount: number;
}

/** A wager was raised by a double down. */
export interface BetRaised {
  event: "raise";
  bet: number;
  amount: number;
}

/**
 * A wager was settled: `back` went to the player; the rest of the stake went to the house, or the win came from it.
 *
 *     `taken` means that the dealer took it early, because it could no longer win.
 */
export interface BetSettled {
  event: "settled";
  bet: number;
  spot: number;
  hand: number;
  wager: string;
  lines: string[];
  pays: string;
  stake: number;
  back: number;
  taken?: boolean;
}

/** A player took a wager back before the deal. */
export interface BetTakenBack {
  event: "take-back";
  bet: number;
  spot: number;
  wager: string;
  amount: number;
}

/** A wager on the felt, with what it returned once it is settled. */
export interface BetView {
  bet: number;
  spot: number;
  hand: number;
  wager: string;
  stake: number;
  back: number | null;
  lines: string[];
}

/**
 * All wagers of a spot, in cents: they replace what lies there. None takes everything back.
 *
 * With `round`, they are refused where another round has been dealt in the meantime.
 */
export interface Bets {
  spot: number;
  bets: Record<string, number>;
  round?: number | null;
}

/**
 * The books of the house, in cents: players' chips, floats and house add up to what was bought in.
 *
 *     `unread` names accounts whose balance is not a number; they are in none of the sums.
 */
export interface Books {
  players: number;
  floats: number;
  house: number;
  bought_in: number;
  tables: TableBook[];
  unread: string[];
}

/** Chips, in cents. */
export interface BuyIn {
  amount: number;
}

/** Nobody asked for the deal: the wagers were returned, and the round is over. */
export interface CalledOff {
  event: "called-off";
  number: number;
}

/** A player who seemed gone is back. */
export interface CameBack {
  event: "back";
  who: string;
}

/** A card was dealt. `to` is `spot`, `dealer`, `player` or `banker`; spot and hand are 0 unless it is `spot`. */
export interface CardDealt {
  event: "card";
  to: string;
  card: string;
  spot?: number;
  hand?: number;
  face_up?: boolean;
}

/** A hand: its cards and total. `how` says how it ended. */
export interface CardsView {
  hand: number;
  cards: string[];
  total: number;
  soft: boolean;
  how: string;
  doubled: boolean;
}

/** A step of the procedure as it took place: its number and rule on the sheet, and what happened in it. */
export interface Chapter {
  step: string;
  number: number;
  title: string;
  rule: string;
  lines: string[];
}

/** A hand that is played otherwise while the side wager is alive, and how it is played without. */
export interface ChartChange {
  hand: string;
  up: string;
  code: string;
  without: string;
}

/** What a change of play costs the main wager and gains the side wager, and from which ratio of stakes it pays. */
export interface ChartDeviation {
  hand: string;
  up: string;
  action: string;
  instead_of: string;
  cost: number;
  gain: number;
  ratio: number;
}

/** A hand that is not played as its cell says. */
export interface ChartHand {
  hand: string;
  up: string;
  code: string;
}

/** A row of a chart: codes against 2 to A, and those that are others while the side wager is alive. */
export interface ChartRow {
  kind: string;
  label: string;
  codes: string[];
  bonus: (string | null)[];
}

/** The chips that somebody has away from tables. */
export interface Chips {
  chips: number;
}

/** A player brought more chips to the table. */
export interface ChipsBrought {
  event: "chips";
  who: string;
  amount: number;
}

/** The server's clock was set back; the time for an answer starts again. */
export interface ClockSetBack {
  event: "clock";
}

/**
 * A decision with the value of each action and the best one; for a past decision, the choice and its cost in cents.
 *
 *     `offers` are the wagers that can be placed with an action, with their average win per stake of 1; `left_out` are
 * wagers
 *     that ride on the hand but are not included in the values.
 */
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

/** A code of the authenticator. */
export interface Code {
  code: string;
}

/**
 * Every choice of a table, with nothing left to defaults that might change, so that rounds can be replayed from it.
 */
export interface Config {
  feltlab: string;
  sheet: string;
  sheet_version: string;
  sheet_sha256: string;
  base_sha256: string;
  decks: number;
  option: string | null;
  paytables: string[];
  rules: Record<string, string>;
  offered: string[];
  pays: Record<string, string>;
  limits: Record<string, Limit>;
  jurisdiction: Jurisdiction | null;
  rounding: Rounding;
  behind_cut: number;
  burn: number;
  seats: number;
  decision_seconds: number;
  betting_seconds: number;
}

/** The text of a sheet. */
export interface Copy {
  text: string;
}

/** A baccarat coup is decided. */
export interface CoupEnded {
  event: "coup-over";
  player: number;
  banker: number;
  result: string;
}

/** A coup of the shoe: its round, who won, and both totals. */
export interface CoupResult {
  round: string;
  result: string;
  player: number;
  banker: number;
}

/** The dealer's hand is final. It is `finished` if it was played out. */
export interface DealerEnded {
  event: "dealer-over";
  total: number;
  finished: boolean;
}

/** A wager's edge and standard error after so many rounds. */
export interface DealtPoint {
  house_edge: number;
  error: number;
}

/** How the edges were after so many rounds. */
export interface DealtSoFar {
  dealt: number;
  wagers: Record<string, DealtPoint>;
}

/**
 * A wager as far as it was dealt: its edge and the standard error, and the exact edge where there is one.
 *
 *     `z` is how many standard errors lie between them; not where whole shoes are dealt, which is another way of
 * dealing.
 */
export interface DealtWager {
  id: string;
  name: string;
  bets: number;
  house_edge: number | null;
  error: number | null;
  exact: number | null;
  z: number | null;
}

/** The address for an authenticator. The factor is required once a first code has confirmed it. */
export interface Enrolment {
  uri: string;
}

/** The figures of a table: its headline, how it differs from the sheet, its pays, and the figures of every wager. */
export interface FiguresAnswer {
  headline: string;
  modified: string[];
  pays: Record<string, Record<string, string>>;
  wagers: WagerFigures[];
}

/**
 * A moment of a round: what happened, in words, and the felt after it. `opens` marks the beginning of a step.
 *
 *     `dealt` is the number of cards dealt from the shoe.
 */
export interface Frame {
  step: string;
  number: number;
  opens: boolean;
  text: string;
  dealt: number;
  round: RoundView;
}

/** How many separate games may ride on one hand, and how many of these may take more than an amount. */
export interface GamesLimit {
  most: number;
  rule: string;
  most_above: number | null;
  above: string | null;
  since: string | null;
  note: string | null;
}

/** A player lost spots that they did not play to somebody else. */
export interface GaveUp {
  event: "gave-up";
  who: string;
  spots: number[];
}

/** A player seems to have gone: the table waits for them only a moment. */
export interface Gone {
  event: "gone";
  who: string;
}

/**
 * A hand ended: it `stood`, was a `natural`, was `stopped` by a dealer's natural, is `bust`, `doubled` or
 *     `surrendered`.
 */
export interface HandEnded {
  event: "hand-over";
  spot: number;
  hand: number;
  how: string;
  total: number;
  doubled?: boolean;
}

/** The second card of a hand became the first card of a new hand, to its right. */
export interface HandSplit {
  event: "split";
  spot: number;
  hand: number;
  new_hand: number;
}

/** The dealer turned the hole card over. */
export interface HoleShown {
  event: "hole";
  card: string;
}

/** A player took insurance or even money, or declined both. */
export interface InsuranceAnswered {
  event: "insurance";
  spot: number;
  amount?: number;
  even_money?: boolean;
}

/** A dated profile. An absent field sets no limit. */
export interface Jurisdiction {
  id: string;
  name: string;
  as_of: string;
  source: string[];
  note: string | null;
  max_wager: WagerLimit | null;
  games: GamesLimit | null;
  aggregate: PrizeRule | null;
  reserve: PrizeRule | null;
}

/** A strategy as a chart, with the house edge that it leaves and what playing for a side wager costs. */
export interface LabChart {
  strategy: string;
  house_edge: Record<string, number>;
  up_cards: string[];
  rows: ChartRow[];
  meanings: Record<string, string>;
  hands: ChartHand[];
  changes: ChartChange[];
  cost: number | null;
  deviations: ChartDeviation[];
}

/** Limits that take effect at a later time. */
export interface Later {
  loss: number | null;
  minutes: number | null;
  at: number;
}

/** A player leaves when the round is over; their hands stand. */
export interface Leaving {
  event: "leaving";
  who: string;
}

/** A player left the table with all chips. */
export interface Left {
  event: "leave";
  who: string;
  spots: number[];
  chips: number;
}

/** The smallest and the largest amount of a wager, in cents. */
export type Limit = [number, number];

/** A line of a wager that can be paid at this table, with its pay. */
export interface LineAbout {
  id: string;
  name: string;
  pays: string;
}

/** An outcome: `id` is the line's id, or empty for a loss by no line. `return` is its part of the player's return. */
export interface LineFigures {
  id: string;
  name: string;
  pays: string;
  combinations: string | null;
  probability: number;
  return: number;
}

/** A name and a password; and where the account has a second factor, a code of it, or a recovery code. */
export interface LogIn {
  name: string;
  password: string;
  code?: string;
}

/**
 * A mark on a grid: who won, or the colour of a derived road. `ties` is the number of ties before the next winner.
 */
export interface Mark {
  column: number;
  row: number;
  is: string;
  ties: number;
}

/** Who asks, the chips they have away from tables, and where they sit. `csrf` goes with every change. */
export interface Me {
  name: string;
  kind: "guest" | "house" | "player";
  chips: number;
  tables: number[];
  csrf: string;
}

/**
 * An answer to what the table asks: `turn`, `spot` and the legal actions are in its `waits`.
 *
 * `side` are wagers on the next card, where an action offers them; `amount` is for `insure`.
 */
export interface Move {
  turn: string;
  spot: number;
  action: "stand" | "hit" | "double" | "split" | "surrender" | "continue" | "insure" | "decline" | "even-money";
  side?: Record<string, number>;
  amount?: number;
}

/** A player's own limits, those that take effect later, and the day of play: its cost, beginning and end. */
export interface MyLimits {
  loss: number | null;
  minutes: number | null;
  later: Later | null;
  lost: number;
  began: number | null;
  ends: number | null;
}

/** The present password, and a new one. */
export interface NewPassword {
  present: string;
  new: string;
}

/** The text of a sheet's file. */
export interface NewSheet {
  text: string;
}

/** How many rounds of a table to deal: each from a full shoe (`fresh`), or shoe by shoe, on several spots. */
export interface NewSimulation {
  table: SheetTable;
  rounds: number;
  seed?: number;
  mode?: "fresh" | "shoe";
  spots?: number;
}

/**
 * A table to open: a built-in sheet by name, or the text of a sheet's file, and the choices that it leaves.
 *
 * Live tables are dealt from full shoes, to people who play as they like: `remove` and `strategy` are for the lab.
 */
export interface NewTable {
  sheet?: string;
  text?: string;
  name?: string;
  limits?: Record<string, [number, number]>;
  jurisdiction?: string | null;
  rounding?: "down" | "nearest" | "up";
  coin?: number;
  behind_cut?: number | null;
  burn?: number;
  seats?: number | null;
  decision_seconds?: number;
  betting_seconds?: number;
  decks?: number | null;
  option?: string | null;
  paytables?: string[];
  rules?: Record<string, string>;
  offered?: string[] | null;
  pays?: Record<string, string>;
  remove?: string;
  strategy?: string;
}

/** A table after the step `seq`. `following` is the round that new wagers are for: the open one, or the next. */
export interface Now {
  table: number;
  seq: number;
  status: string;
  seats: SeatView[];
  shoe: ShoeView;
  round: RoundView | null;
  following: number;
  waits: TurnView | null;
}

/** The present password, and a code of the authenticator or a recovery code. */
export interface Off {
  present: string;
  code: string;
}

/** A form of the game that the sheet allows. */
export interface OptionAbout {
  id: string;
  sentence: string;
}

/** The same figure under another reading. */
export interface OtherReading {
  reading: string;
  wager: string;
  computed: number;
}

/** The present password. */
export interface Password {
  present: string;
}

/** The pay of each line, and the deck counts that the paytable is printed for. */
export interface PaytableAbout {
  id: string;
  decks: number[];
  pays: Record<string, string>;
}

/** The dealer checked the hole card for a natural. */
export interface Peeked {
  event: "peek";
  natural: boolean;
}

/** A house edge; for several shoes the mean, the 5th and 95th percentile, and how often the player has the edge. */
export interface Point {
  x: number;
  label: string;
  house_edge: number;
  low: number | null;
  high: number | null;
  share: number | null;
}

/** An obligation that comes with large odds: reported to the house, not enforced at the table. */
export interface PrizeRule {
  rule: string;
  sentence: string;
  from_odds: number | null;
  from_prize: string | null;
}

/** What went wrong (RFC 9457): `detail` says it in words. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  request_id: string;
  retry_after?: number;
  errors?: Record<string, unknown>[];
}

/** A player asked for the deal. */
export interface Readied {
  event: "ready";
  who: string;
}

/** How a doubtful point of the sheet is read. */
export interface ReadingAbout {
  id: string;
  point: string;
  reading: string;
  evidence: string;
}

/** Why something is done, for the record that everybody can read. */
export interface Reason {
  reason: string;
}

/** Codes that each replace one of the authenticator's codes, once. They are shown only now. */
export interface RecoveryCodes {
  codes: string[];
}

/** A guest at the table registered; `was` is their name as a guest. */
export interface Renamed {
  event: "renamed";
  who: string;
  was: string;
}

/**
 * A round moment by moment, as seen at the table: a face-down card is `--` until it is turned over.
 *
 *     Wagers that were taken back before the deal are left out. `cards` is the size of the shoe.
 */
export interface ReplayAnswer {
  id: string;
  over: boolean;
  cards: number;
  behind_cut: number;
  frames: Frame[];
}

/** The bead plate, the big road, and the three derived ones. */
export interface Roads {
  bead: Mark[];
  big: Mark[];
  big_eye: Mark[];
  small: Mark[];
  cockroach: Mark[];
}

/** A round from its first wager to its last payment, as it was stored and in words. */
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
  steps: StepLine[];
  bets: BetLine[];
  told: string[];
  story: Chapter[];
}

/** The round ended, with the total that each spot won or lost. */
export interface RoundEnded {
  event: "over";
  nets: Record<string, number>;
}

/** A round that a person played: the table, what they staked and what came back, in cents. */
export interface RoundLine {
  id: string;
  table: number;
  name: string;
  sheet: string;
  at: number;
  stake: number;
  back: number;
}

/** A round began, with its number at this table. */
export interface RoundOpened {
  event: "round";
  number: number;
}

/**
 * The round in play, or the last one as it ended. Blackjack has spots and a dealer; baccarat has Player and Banker.
 */
export interface RoundView {
  number: number;
  step: string;
  bets: BetView[];
  spots: Record<string, CardsView[]>;
  dealer: CardsView | null;
  player: CardsView | null;
  banker: CardsView | null;
}

/** The round was voided; open wagers are returned. */
export interface RoundVoided {
  event: "void";
  reason: string;
}

/** How a table rounds a payment that falls between two coins. By default the house keeps the breakage. */
export type Rounding = ("down" | "nearest" | "up" | number)[];

/** A rule that a table may choose; without values it is any ratio. `own`: it belongs to the sheet, not the game. */
export interface RuleAbout {
  key: string;
  values: string[];
  default: string;
  sentence: string;
  own: boolean;
}

/** Somebody sat down with chips. */
export interface Sat {
  event: "sit";
  who: string;
  spots: number[];
  chips: number;
}

/** The results and roads of a table's shoe. */
export interface Scoreboard {
  table: number;
  shoe: number;
  results: CoupResult[];
  roads: Roads;
}

/**
 * A player at the table, with their chips.
 *
 *     `gone`: they seem to have gone. `kept` is until when each spot is theirs if nothing is dealt to it; spots in play
 * are
 *     left out.
 */
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

/** Whether a second factor is required at log-in, and how many recovery codes are left. */
export interface SecondFactor {
  on: boolean;
  recovery_left: number;
}

/** A text of one's own for the order of the next shoe. */
export interface Seed {
  seed: string;
}

/** A player added a seed to the order of the shoe. */
export interface SeedAdded {
  event: "seed";
  who: string;
  seed: string;
}

/** A curve of a wager's house edge. */
export interface Series {
  over: "decks" | "depth" | "pay" | "removed";
  x_name: string;
  points: Point[];
}

/** Who asks; nobody yet, where there is no session. */
export interface SessionAnswer {
  me: Me | null;
}

/** A session: when it began, was last used (to ten minutes) and ends. `this` is the session of the request. */
export interface SessionLine {
  id: string;
  made_at: number;
  used_at: number | null;
  ends_at: number;
  this: boolean;
}

/** What I allow myself in a day of play: to lose, in cents, and to play, in minutes. `null` is no limit. */
export interface SetLimits {
  loss: number | null;
  minutes: number | null;
}

/** A full description of a sheet: its text, choices, wagers, strategies, procedure, readings and sources. */
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
  usual: Usual;
  options: OptionAbout[];
  rules: RuleAbout[];
  wagers: SheetWager[];
  strategies: string[];
  procedure: [string, string][];
  readings: ReadingAbout[];
  sources: SourceAbout[];
}

/** A sheet in a list. */
export interface SheetLine {
  id: string;
  name: string;
  game: string;
  summary: string;
  decks: number[];
  sha256: string;
}

/** A table: a built-in sheet's id or the hash of a text that was put in, and choices. The rest is the usual table. */
export interface SheetTable {
  decks?: number | null;
  option?: string | null;
  paytables?: string[];
  rules?: Record<string, string>;
  offered?: string[] | null;
  pays?: Record<string, string>;
  remove?: string;
  strategy?: string;
  sheet: string;
}

/** A wager of a sheet, with its lines and its paytables. */
export interface SheetWager {
  id: string;
  name: string;
  sentence: string;
  base: boolean;
  placed: string[];
  excludes: string[];
  lines: SheetWagerLine[];
  paytables: PaytableAbout[];
}

/** A line of a wager. `options` are the options that it applies to, if not all. */
export interface SheetWagerLine {
  id: string;
  name: string;
  options: string[];
}

/** A shoe: its commitment and, once it is finished, the numbers that its order follows from. */
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

/** The order of the shoe is fixed: no more seeds. */
export interface ShoeCut {
  event: "cut";
  number: number;
}

/** A new shoe, and the SHA-256 of the secret that its order follows from. */
export interface ShoeOpened {
  event: "shoe";
  number: number;
  commitment: string;
  decks: number;
  burn: number;
  behind_cut: number;
}

/** The shoe is finished, and this was its secret. */
export interface ShoeRevealed {
  event: "reveal";
  number: number;
  order: string;
  reserve: string;
}

/** The shoe: its commitment, the players' seeds, and how many cards are dealt. */
export interface ShoeView {
  number: number;
  commitment: string;
  cut: boolean;
  seeds: [string, string][];
  cards: number;
  dealt: number;
  behind_cut: number;
}

/** A simulation: what is dealt, how far it is, what came of it beside the exact figures, and how it came there. */
export interface SimulationAnswer {
  id: string;
  table: SheetTable;
  headline: string;
  rounds: number;
  dealt: number;
  seed: number;
  mode: "fresh" | "shoe";
  spots: number;
  rate: number;
  status: "done" | "failed" | "running" | "stopped" | "waiting";
  why: string;
  wagers: DealtWager[];
  history: DealtSoFar[];
}

/** Spots of the table, and the chips to bring, in cents. */
export interface SitDown {
  spots: number[];
  chips: number;
}

/** Where facts of the sheet come from. */
export interface SourceAbout {
  id: string;
  title: string;
  date: string | null;
  note: string | null;
}

/** What a request did: the step's number and events, and how the table is now. `again`: it was done before. */
export interface StepAnswer {
  table: number;
  seq: number;
  at: number;
  round: number | null;
  events: TableEvent[];
  again: boolean;
  now: Now;
}

/** A step of the round's procedure began. */
export interface StepBegan {
  event: "step";
  step: string;
}

/** A stored step of a round. */
export interface StepLine {
  seq: number;
  at: number;
  command: unknown;
  events: TableEvent[];
}

/** A player took or declined early surrender, before the dealer checked for a natural. */
export interface SurrenderAnswered {
  event: "early-surrender";
  spot: number;
  taken: boolean;
}

/** A table: what is played there, and how it is now. */
export interface TableAnswer {
  about: About;
  now: Now;
}

/** The books of a table. `trouble` says what cannot be read. */
export interface TableBook {
  table: number;
  name: string;
  sheet: string;
  status: string;
  rounds: number;
  float: number;
  wagers: WagerBook[];
  trouble: string;
}

/** The house closed the table. */
export interface TableClosed {
  event: "table-closed";
}

/** Something that happened at a table: `event` says what. */
export type TableEvent = StepBegan | BetPlaced | BetTakenBack | BetRaised | CardDealt | SurrenderAnswered | InsuranceAnswered | Peeked | Acted | HandSplit | HandEnded | HoleShown | DealerEnded | CoupEnded | BetSettled | RoundVoided | RoundEnded | TableOpened | Sat | ChipsBrought | Renamed | Left | GaveUp | Gone | CameBack | Leaving | Readied | TimeUp | ClockSetBack | RoundOpened | CalledOff | ShoeOpened | SeedAdded | ShoeCut | ShoeRevealed | TableClosed;

/** A table in the lobby. For one that is out of order, only its number, its name and, for the house, the reason. */
export interface TableLine {
  id: number;
  name: string;
  sheet: string;
  game: string;
  headline: string;
  seats: number;
  free: number[];
  limits: Record<string, [number, number]>;
  status: string;
  trouble: string;
}

/** The house opened the table. */
export interface TableOpened {
  event: "table-open";
  by: string;
}

/** A player did not answer in time; the table goes on without them until they do something. */
export interface TimeUp {
  event: "time-up";
  who: string;
}

/**
 * What the table waits for, with exactly what is legal. `turn` is sent with the answer; `until` is the deadline.
 *
 *     `who` are the players it waits for. A deadline that keeps nobody waiting is left out.
 */
export interface TurnView {
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

/** The sheet's usual table, which is the default. */
export interface Usual {
  decks: number;
  option: string | null;
  paytables: Record<string, string>;
}

/** A wager that a table offers: its limits in cents, when it is placed, and its lines. */
export interface WagerAbout {
  id: string;
  name: string;
  base: boolean;
  placed: string[];
  least: number;
  most: number;
  lines: LineAbout[];
}

/** What a wager has won at a table, beside what the exact figures expect; money in cents. */
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

/**
 * The figures of a wager, or the reason why there are none in `why_not`. Wagers on hit cards have two, see `known`.
 */
export interface WagerFigures {
  id: string;
  name: string;
  base: boolean;
  paytable: string;
  known: string | null;
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
  lines: LineFigures[];
}

/** The largest single wager. */
export interface WagerLimit {
  amount: string;
  rule: string;
  since: string | null;
  note: string | null;
}
