/** The lab's shapes under the page's names for them. */

export type {
  AuditAlternative as Alternative,
  AuditAnswer as Audit,
  AuditFinding as Finding,
  ChartDeviation as Deviation,
  ChartRow as StrategyRow,
  DealtWager as SimulatedWager,
  FiguresAnswer as Figures,
  LabChart as Strategy,
  LineFigures as Line,
  PaytableAbout as Paytable,
  Point as SeriesPoint,
  RuleAbout as Rule,
  Series,
  SheetAbout,
  SheetLine as SheetShort,
  SheetWager,
  SimulationAnswer as Simulation,
  WagerFigures,
} from "./schema";

import type { Series } from "./schema";

export type Over = Series["over"];
