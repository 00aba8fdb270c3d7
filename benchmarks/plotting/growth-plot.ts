import type { Spread } from "../comparison.ts";
import { dot, line, svg, text } from "./svg.ts";

/** An operation at every size. */
export interface Growth {
  readonly title: string;
  /** Smallest size first. */
  readonly sizes: readonly SizedFigures[];
}

/** An operation at one size. */
export interface SizedFigures {
  readonly pools: number;
  /** Duration in microseconds. */
  readonly time: Spread;
  /** Time relative to that at the smallest size in the same round. */
  readonly ratio: Spread;
  readonly server: Spread;
  readonly database: Spread;
}

const PANEL = { width: 226, height: 96 };
const GAP = { x: 20, y: 62 };
const COLUMNS = 3;
const LEFT = 40;
const TOP = 84;

/** Maximum ratio of the time at the largest size to that at the smallest. */
const GOAL = 1.5;

/** Plots, in a panel per operation, its time by the number of pools, relative to the smallest size. */
export function drawGrowthPlot(growths: readonly Growth[]): string {
  const rows = Math.ceil(growths.length / COLUMNS);
  const width = LEFT + COLUMNS * (PANEL.width + GAP.x);
  const height = TOP + rows * (PANEL.height + GAP.y);
  const most = Math.max(2, ...growths.flatMap(({ sizes }) => sizes.map(({ ratio }) => ratio.max * 1.1)));
  const heading = "Time of an operation by the number of pools, relative to the smallest";
  const panels = growths.map((growth, index) => {
    const left = LEFT + (index % COLUMNS) * (PANEL.width + GAP.x);
    return panel(growth, left, TOP + Math.floor(index / COLUMNS) * (PANEL.height + GAP.y), most);
  });
  const goal = text(
    "faint",
    16,
    48,
    `The dashed line is ${GOAL}×; the marks reach from the least of the rounds to the greatest.`,
  );
  return svg(width, height, heading, [text("title", 16, 26, heading), goal, ...panels]);
}

function panel({ title, sizes }: Growth, left: number, top: number, most: number): string {
  const x = (place: number) => left + 24 + (place / Math.max(1, sizes.length - 1)) * (PANEL.width - 48);
  const y = (ratio: number) => top + PANEL.height * (1 - ratio / most);
  const across = (classes: string, ratio: number) =>
    line(classes, [
      [left, y(ratio)],
      [left + PANEL.width, y(ratio)],
    ]);
  const ticks = [0, 1].map((ratio) => text("faint end", left - 6, y(ratio) + 4, `${ratio}×`));
  const points = sizes.map(({ ratio }, place) => [x(place), y(ratio.median)] as const);
  const marks = sizes.map(({ ratio, pools }, place) => [
    line("mark", [
      [x(place), y(ratio.min)],
      [x(place), y(ratio.max)],
    ]),
    dot("ours", x(place), y(ratio.median)),
    text("faint middle", x(place), top + PANEL.height + 16, `10^${Math.log10(pools)}`),
    text("faint middle", x(place), y(ratio.max) - 6, ratio.median.toFixed(2)),
  ]);
  const grid = [across("grid", 0), across("grid", 1), across("grid p99", GOAL)];
  return [text("group", left, top - 10, title), ...grid, ...ticks, line("line ours", points), ...marks.flat()].join(
    "\n",
  );
}
