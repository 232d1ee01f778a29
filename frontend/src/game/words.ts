/** Names and sentences for what the server says: for printing, and for those who listen instead of looking. */

import { money } from "../format/money";
import type { Verdict } from "../fairness/verify";
import type {
  About,
  BetView,
  HandView,
  Now,
  Question,
  SeatView,
  ShoeAnswer,
  TableEvent,
  WagerAbout,
} from "../api/table";

const RANKS: Record<string, string> = { A: "ace", T: "10", J: "jack", Q: "queen", K: "king" };
const SUITS: Record<string, string> = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
export const SIGNS: Record<string, string> = { c: "♣", d: "♦", h: "♥", s: "♠" };

/** A card as it is said. */
export function cardName(card: string): string {
  if (card === "--") return "a card face down";
  return `${RANKS[card.slice(0, -1)] ?? card.slice(0, -1)} of ${SUITS[card.slice(-1)] ?? card.slice(-1)}`;
}

/** A rank as it is printed. */
export function rank(card: string): string {
  const found = card.slice(0, -1);
  return found === "T" ? "10" : found;
}

/** A card as it is written. */
export function cardText(card: string): string {
  return `${rank(card)}${SIGNS[card.slice(-1)] ?? ""}`;
}

export const ACTIONS: Record<string, { name: string; key: string }> = {
  stand: { name: "Stand", key: "s" },
  hit: { name: "Hit", key: "h" },
  double: { name: "Double", key: "d" },
  split: { name: "Split", key: "p" },
  surrender: { name: "Surrender", key: "r" },
  insure: { name: "Insure", key: "i" },
  decline: { name: "No, thanks", key: "n" },
  "even-money": { name: "Even money", key: "e" },
  continue: { name: "Play on", key: "c" },
};

/** Words for an action; one that is not known is called what the server calls it. */
export function actionName(action: string): string {
  return ACTIONS[action]?.name ?? action;
}

export function actionOfKey(key: string): string {
  return Object.keys(ACTIONS).find((action) => ACTIONS[action]?.key === key) ?? "";
}

const LABELS: Record<string, string> = {
  soft17: "Soft 17",
  natural: "Natural pays",
  double: "Double",
  das: "Double after split",
  resplit: "Hands after splits",
  "resplit-aces": "Resplit aces",
  "hit-split-aces": "Hit split aces",
  "unlike-tens": "Split unlike tens",
  surrender: "Surrender",
  "hole-card": "Hole card",
  tie: "Tie pays",
  "base-wager": "Base wager",
};

/** The name of a house rule: a known one in words, any other as the sheet has it. */
export function ruleName(rule: string): string {
  return LABELS[rule] ?? rule.charAt(0).toUpperCase() + rule.slice(1).replaceAll("-", " ");
}

/** The line of a wager that pays most, as the table prints it. */
export function topPay(wager: WagerAbout): string {
  const odds = (pays: string): number => {
    const found = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(pays);
    return found ? Number(found[1]) / Number(found[2]) : -1;
  };
  const best = [...wager.lines].sort((a, b) => odds(b.pays) - odds(a.pays))[0];
  return best && odds(best.pays) >= 0 ? best.pays.replace(":", " to ") : "";
}

/** A hand's worth as it is shown beside it. */
export function totalText(hand: HandView): string {
  return hand.soft ? `soft ${hand.total}` : String(hand.total);
}

function list(words: string[]): string {
  return words.join(", ");
}

/** The wagers of a blackjack table beside the main one and insurance. */
export function sideWagers(wagers: WagerAbout[]): WagerAbout[] {
  return wagers.filter(
    (wager) => !(wager.base && wager.placed.includes("before-deal")) && !wager.placed.includes("insurance"),
  );
}

export function wagerName(about: About, id: string): string {
  return about.wagers.find((wager) => wager.id === id)?.name ?? id;
}

export function lineName(about: About, wager: string, line: string): string {
  return about.wagers.find((one) => one.id === wager)?.lines.find((one) => one.id === line)?.name ?? line;
}

/** How a wager came out, in a word and a sum. */
export function outcome(bet: BetView): { kind: "won" | "lost" | "push"; amount: number } {
  const won = (bet.back ?? 0) - bet.stake;
  return { kind: won > 0 ? "won" : won < 0 ? "lost" : "push", amount: won };
}

function handText(who: string, hand: HandView): string {
  const down = hand.cards.includes("--");
  return `${who}: ${list(hand.cards.map(cardName))}${down ? "" : `; ${totalText(hand)}`}.`;
}

/** Sentences about a step for a screen reader: hands that got cards, wagers that were settled, what each spot won, whose turn it is. */
export function sentences(events: TableEvent[], after: Now, about: About, mine: number[]): string[] {
  const said: string[] = [];
  const round = after.round;
  for (const event of events) {
    if (event.event === "sit") said.push(`${event.who} sits down on spot ${list(event.spots.map(String))}.`);
    if (event.event === "leave") said.push(`${event.who} leaves the table.`);
    if (event.event === "gave-up")
      said.push(`${event.who} did not play spot ${list(event.spots.map(String))} and loses it.`);
    if (event.event === "gone") said.push(`${event.who} seems to have gone.`);
    if (event.event === "back") said.push(`${event.who} is back.`);
    if (event.event === "called-off") said.push("Nobody asked for the deal: all wagers go back.");
    if (event.event === "renamed") said.push(`${event.was} is now ${event.who}.`);
    if (event.event === "time-up") said.push(`The time of ${event.who} is up.`);
    if (event.event === "shoe") said.push("A new shoe is on the table.");
  }
  const touched = new Set(
    events
      .filter((event) => event.event === "card" || event.event === "hole")
      .map((event) => (event.event === "hole" ? "dealer.0.0" : `${event.to}.${event.spot ?? 0}.${event.hand ?? 0}`)),
  );
  for (const [spot, hands] of Object.entries(round?.spots ?? {})) {
    for (const hand of hands) {
      if (!touched.has(`spot.${spot}.${hand.hand}`)) continue;
      const whose = mine.includes(Number(spot)) ? "Your spot" : "Spot";
      const which = hands.length > 1 ? `, hand ${hands.indexOf(hand) + 1}` : "";
      said.push(handText(`${whose} ${spot}${which}`, hand));
    }
  }
  if (round?.dealer && touched.has("dealer.0.0")) said.push(handText("Dealer", round.dealer));
  if (round?.player && touched.has("player.0.0")) said.push(handText("Player", round.player));
  if (round?.banker && touched.has("banker.0.0")) said.push(handText("Banker", round.banker));
  for (const event of events) {
    if (event.event === "coup-over")
      said.push(event.result === "tie" ? "It is a tie." : `${event.result === "player" ? "Player" : "Banker"} wins.`);
    if (event.event === "void") said.push(`The round is void: ${event.reason}.`);
    if (event.event === "settled" && mine.includes(event.spot)) {
      const won = event.back - event.stake;
      const how =
        won > 0
          ? `wins ${money(won)}`
          : won < 0
            ? `${event.taken ? "is taken" : "loses"}, ${money(-won)}`
            : "is a push";
      const line = event.lines[0] ? `, ${lineName(about, event.wager, event.lines[0])}` : "";
      said.push(`${wagerName(about, event.wager)} ${how}${line}.`);
    }
    if (event.event === "over") {
      const net = mine.reduce((sum, spot) => sum + (event.nets[String(spot)] ?? 0), 0);
      if (mine.some((spot) => event.nets[String(spot)] !== undefined)) {
        said.push(
          net > 0 ? `You won ${money(net)} in all.` : net < 0 ? `You lost ${money(-net)} in all.` : "You are even.",
        );
      }
    }
  }
  const waits = after.waits;
  if (waits && waits.kind !== "bets") {
    const whose = mine.includes(waits.spot)
      ? `Your turn on spot ${waits.spot}`
      : `${waits.who[0] ?? "Somebody"} is asked on spot ${waits.spot}`;
    said.push(mine.includes(waits.spot) ? `${whose}: ${list(waits.actions.map(actionName))}.` : `${whose}.`);
  }
  return said;
}

/** Whom the table waits for, by name: who is asked, or who has not asked for the deal yet. */
export function waiting(waits: Question | null, seats: SeatView[]): string {
  if (!waits?.who.length) return "The table waits for bets";
  const names = waits.who.map((name) =>
    seats.find((seat) => seat.name === name)?.gone ? `${name} (seems to have gone)` : name,
  );
  return `Waiting for ${list(names)}`;
}

/** A sentence of a told round, with the names of wagers in place of their ids. */
export function named(about: Pick<About, "wagers">, sentence: string): string {
  return about.wagers.reduce(
    (told, { id, name }) =>
      told.replace(
        new RegExp(`(wagers [\\d.,]+ on |adds [\\d.,]+ to |back from |^[^:]*, )${id}(?=:|$)`),
        (_, before: string) => before + name,
      ),
    sentence,
  );
}

/** A rule of the procedure without the number that some sheets print before it: it stands in a numbered list. */
export function unnumbered(rule: string): string {
  return rule.replace(/^Step \d+\. /, "");
}

/** A moment of the clock, as the browser's own people write it. */
export function when(at: number): string {
  return new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

/** Words broken into lines of about so many letters, for print on the felt. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** What was checked of a shoe that is over, each in a sentence, and whether it holds. `seen` is the commitment that was seen before. */
export function checks(shoe: ShoeAnswer, verdict: Verdict, seen: string | null): { holds: boolean; text: string }[] {
  const seeds = shoe.seeds.length === 1 ? "1 seed" : `${shoe.seeds.length} seeds`;
  const unseen = verdict.unseen ? `; ${verdict.unseen} lay face down to the end` : "";
  const wrong = verdict.wrong;
  return [
    {
      holds: verdict.commitment,
      text: "The SHA-256 of the secret is the commitment that was published before the first wager.",
    },
    ...(seen === null
      ? []
      : [
          {
            holds: seen === shoe.commitment,
            text: "That commitment is the one that this browser saw while the shoe was in use.",
          },
        ]),
    {
      holds: true,
      text: `The order of ${52 * shoe.decks} cards was shuffled again from the secret and ${seeds} of players.`,
    },
    wrong
      ? {
          holds: false,
          text: `Round ${wrong.round}: card ${wrong.place} of the shoe was dealt as the ${cardName(wrong.dealt)}, and is the ${cardName(wrong.shoe)}.`,
        }
      : {
          holds: true,
          text: `All ${verdict.cards} cards seen in ${shoe.rounds.length} ${shoe.rounds.length === 1 ? "round" : "rounds"} are those of the shoe, in order${unseen}.`,
        },
  ];
}
