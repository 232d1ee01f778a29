/** The shapes in which the service tells of tables, under the page's names for them. Nothing here is worked out: it is what the server says. */

export type * from "./schema";
export type { CardsView as HandView, Chapter as StoryStep, TurnView as Question } from "./schema";

import type { Now, StepAnswer } from "./schema";

/** A step as an answer or as the table's stream has it: there, only the last of several says how the table is now. */
export type Step = Omit<StepAnswer, "again" | "now"> & { now?: Now };
