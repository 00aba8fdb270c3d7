import { line, svg, text } from "./svg.ts";

/** Measurements at one time. */
export interface Sample {
  readonly minute: number;
  /** In MB. */
  readonly memory: number;
  readonly descriptors: number;
  readonly connections: number;
}

/** Measurements of a slice of time. */
export interface Slice {
  /** Time of its end. */
  readonly minute: number;
  /** Heap after garbage collection, in MB. */
  readonly heap: number;
  /** Latencies by load, in milliseconds. */
  readonly p99: readonly number[];
  /** Sum of all loads. */
  readonly requestsPerSecond: number;
}

/** All measurements of a soak. */
export interface Soak {
  readonly samples: readonly Sample[];
  readonly slices: readonly Slice[];
}

const WIDTH = 760;
const LEFT = 56;
const RIGHT = 16;
const TOP = 70;
const PANEL = { height: 90, gap: 58 };

type Point = readonly [minute: number, value: number];

/** Plots the resources of a server over time, in a panel each. */
export function drawSoakPlot({ samples, slices }: Soak): string {
  const slowest = slices.map(({ minute, p99 }): Point => [minute, Math.max(...p99)]);
  const panels: readonly (readonly [title: string, points: readonly Point[]])[] = [
    ["resident memory, MB", samples.map(({ minute, memory }) => [minute, memory])],
    ["heap after garbage collection, MB", slices.map(({ minute, heap }) => [minute, heap])],
    ["file descriptors", samples.map(({ minute, descriptors }) => [minute, descriptors])],
    ["connections to PostgreSQL", samples.map(({ minute, connections }) => [minute, connections])],
    ["p99 of the slowest load, ms", slowest],
  ];
  const last = Math.max(...samples.map(({ minute }) => minute));
  const height = TOP + panels.length * (PANEL.height + PANEL.gap);
  const heading = `Resources of a server during ${last.toFixed(0)} minutes of mixed load`;
  const drawn = panels.map(([title, points], index) =>
    panel(title, points, TOP + index * (PANEL.height + PANEL.gap), last),
  );
  return svg(WIDTH, height, heading, [text("title", 16, 26, heading), ...drawn]);
}

function panel(title: string, points: readonly Point[], top: number, last: number): string {
  const most = Math.max(1, ...points.map(([, value]) => value)) * 1.1;
  const x = (minute: number) => LEFT + (minute / last) * (WIDTH - LEFT - RIGHT);
  const y = (value: number) => top + PANEL.height * (1 - value / most);
  const grid = [0, 0.5, 1].flatMap((share) => [
    line("grid", [
      [LEFT, y(most * share)],
      [WIDTH - RIGHT, y(most * share)],
    ]),
    text("faint end", LEFT - 6, y(most * share) + 4, (most * share).toFixed(0)),
  ]);
  const ends = [0, last].map((minute) =>
    text("faint middle", x(minute), top + PANEL.height + 16, `${minute.toFixed(0)} min`),
  );
  const curve = line(
    "line ours",
    points.map(([minute, value]) => [x(minute), y(value)]),
  );
  return [text("group", LEFT, top - 10, title), ...grid, ...ends, curve].join("\n");
}
