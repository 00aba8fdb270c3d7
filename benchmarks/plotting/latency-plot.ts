import { type LoadResults, PERCENTILES } from "../latency-at-load.ts";
import { dot, line, svg, text } from "./svg.ts";

const PANEL = { width: 236, height: 250, gap: 14 };
const LEFT = 52;
const TOP = 92;
const BOTTOM = 52;
/** Panels in a row, and the space between rows for their titles and loads. */
const COLUMNS = 3;
const ROW_GAP = 60;
const NAMES = { p50: "p50", p99: "p99", p999: "p99.9" };

type Scale = (value: number) => number;

/** Plots, in a panel per other server, its latencies and Calltrack's at the same loads. */
export function drawLatencyPlot(title: string, results: readonly LoadResults[]): string {
  const rows = Array.from({ length: Math.ceil(results.length / COLUMNS) }, (_, row) =>
    results.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );
  const width = LEFT + Math.min(results.length, COLUMNS) * (PANEL.width + PANEL.gap) + 8;
  const height = TOP + rows.length * (PANEL.height + ROW_GAP) - ROW_GAP + BOTTOM;
  const values = results.flatMap(({ points }) =>
    points.flatMap(({ latencies }) => PERCENTILES.flatMap((name) => [latencies[name].ours, latencies[name].theirs])),
  );
  const range = [Math.min(...values) / 1.2, Math.max(...values) * 1.2] as const;
  return svg(width, height, `${title}: latency at fixed loads`, [
    text("title", 16, 26, `${title}: latency in ms at fixed loads`),
    ...legend(),
    ...rows.flatMap((row, index) => drawRow(row, TOP + index * (PANEL.height + ROW_GAP), range)),
    text(
      "faint middle",
      LEFT + (width - LEFT) / 2,
      height - 10,
      "load offered to both, of what the other server takes at most",
    ),
  ]);
}

function drawRow(results: readonly LoadResults[], top: number, [low, high]: readonly [number, number]): string[] {
  const y: Scale = (ms) => top + PANEL.height * (1 - Math.log(ms / low) / Math.log(high / low));
  const panels = results.map((result, index) => panel(result, LEFT + index * (PANEL.width + PANEL.gap), top, y));
  const ticks = ticksBetween(low, high).map((ms) => text("faint end", LEFT - 8, y(ms) + 4, `${ms}`));
  return [...gridLines(results.length, low, high, y), ...ticks, ...panels];
}

function legend(): string[] {
  const samples = PERCENTILES.flatMap((name, index) => {
    const x = 250 + index * 80;
    return [lineAt("mark", name, x, 50), text("", x + 34, 54, NAMES[name])];
  });
  return [
    lineAt("line ours", "p50", 16, 50),
    text("", 50, 54, "Calltrack"),
    lineAt("line theirs", "p50", 126, 50),
    text("", 160, 54, "the other"),
    ...samples,
  ];
}

function lineAt(classes: string, name: string, x: number, y: number): string {
  return line(`${classes} ${name}`, [
    [x, y],
    [x + 28, y],
  ]);
}

function gridLines(count: number, low: number, high: number, y: Scale): string[] {
  return Array.from({ length: count }, (_, index) => LEFT + index * (PANEL.width + PANEL.gap)).flatMap((left) =>
    ticksBetween(low, high).map((ms) =>
      line("grid", [
        [left, y(ms)],
        [left + PANEL.width, y(ms)],
      ]),
    ),
  );
}

function panel({ peer, points }: LoadResults, left: number, top: number, y: Scale): string {
  const x: Scale = (share) => left + 24 + ((share - 0.25) / 0.5) * (PANEL.width - 48);
  const curves = (["theirs", "ours"] as const).flatMap((side) =>
    PERCENTILES.flatMap((name) => {
      const places = points.map(({ share, latencies }) => [x(share), y(latencies[name][side])] as const);
      return [line(`line ${side} ${name}`, places), ...places.map(([px, py]) => dot(side, px, py))];
    }),
  );
  const loads = points.map(({ share }) =>
    text("faint middle", x(share), top + PANEL.height + 18, `${Math.round(share * 100)} %`),
  );
  return [text("group middle", left + PANEL.width / 2, top - 10, peer), ...loads, ...curves].join("\n");
}

/** Returns 1, 2 and 5 times every power of ten. */
function ticksBetween(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = -3; power < 5; power++) {
    for (const digit of [1, 2, 5]) ticks.push(Number(`${digit}e${power}`));
  }
  return ticks.filter((tick) => tick > low && tick < high);
}
