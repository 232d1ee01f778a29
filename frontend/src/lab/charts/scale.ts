/** Scales and paths of charts. */

import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { area, line } from "d3-shape";

export interface Point {
  x: number;
  y: number;
  low?: number | null;
  high?: number | null;
  label: string;
}

export interface Box {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export type Scale = (value: number) => number;

export interface Axes {
  x: Scale;
  y: Scale;
  xTicks: number[];
  yTicks: number[];
  domain: [number, number];
}

/** The values that the points, their bands and the marked lines take, with a little air; never of no height. */
export function span(points: readonly Point[], marks: readonly number[] = [], skip = 0): [number, number] {
  const seen = points.slice(Math.min(skip, Math.max(0, points.length - 1)));
  const values = [...seen.flatMap((point) => [point.y, point.low ?? point.y, point.high ?? point.y]), ...marks];
  const [low, high] = extent(values.filter(Number.isFinite));
  if (low === undefined || high === undefined) return [0, 1];
  const air = (high - low) * 0.08 || Math.abs(high) * 0.05 || 0.01;
  return [low - air, high + air];
}

/** The marks of the upright axis. */
export function upright(domain: [number, number]): number[] {
  return scaleLinear(domain, [0, 1]).nice(5).ticks(5);
}

export function axes(box: Box, points: readonly Point[], domain: [number, number], from?: number): Axes {
  const [low, high] = extent(points, (point) => point.x);
  const start = from ?? low ?? 0;
  const end = high ?? 1;
  const x = scaleLinear([start, end === start ? start + 1 : end], [box.left, box.width - box.right]);
  const y = scaleLinear(domain, [box.height - box.bottom, box.top]).nice(5);
  const [bottom, top] = y.domain();
  return {
    x: (value) => x(value),
    y: (value) => y(value),
    xTicks: x.ticks(Math.max(2, Math.floor((box.width - box.left - box.right) / 80))),
    yTicks: upright(domain),
    domain: [bottom ?? domain[0], top ?? domain[1]],
  };
}

export function path(points: readonly Point[], to: Axes): string {
  return (
    line<Point>(
      (point) => to.x(point.x),
      (point) => to.y(point.y),
    )(points) ?? ""
  );
}

/** The ground between low and high, where there is one. */
export function band(points: readonly Point[], to: Axes): string {
  const wide = points.filter(
    (point) => point.low !== null && point.low !== undefined && point.high !== null && point.high !== undefined,
  );
  if (wide.length < 2) return "";
  return (
    area<Point>(
      (point) => to.x(point.x),
      (point) => to.y(point.low ?? 0),
      (point) => to.y(point.high ?? 0),
    )(wide) ?? ""
  );
}

/** Which point is nearest to a place on the x axis. */
export function nearest(points: readonly Point[], to: Axes, at: number): number {
  let best = -1;
  points.forEach((point, index) => {
    if (best < 0 || Math.abs(to.x(point.x) - at) < Math.abs(to.x(points[best]?.x ?? 0) - at)) best = index;
  });
  return best;
}

/** Where a key takes the reader of a chart; nothing where the key means nothing here. */
export function step(key: string, at: number, count: number): number | null {
  const last = count - 1;
  if (count === 0) return null;
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(last, at + 1);
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, at < 0 ? 0 : at - 1);
  if (key === "PageUp") return Math.min(last, at + 10);
  if (key === "PageDown") return Math.max(0, at - 10);
  if (key === "Home") return 0;
  if (key === "End") return last;
  return null;
}
