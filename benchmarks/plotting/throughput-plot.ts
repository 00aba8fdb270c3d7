import type { SaturationResults } from "../saturation.ts";
import { line, rect, svg, text } from "./svg.ts";

const WIDTH = 760;
const TOP = 64;
const LEFT = 210;
const RIGHT = 90;
const ROW = 24;
const GROUP = 30;

/** Plots Calltrack's requests per second relative to each other server, as bars with the range of the rounds. */
export function drawThroughputPlot(results: readonly SaturationResults[]): string {
  const groups = results.map(({ workload, servers }) => ({ title: workload.title, others: servers.slice(1) }));
  const spreads = groups.flatMap(({ others }) => others.map(({ comparison }) => comparison.requestsPerSecond));
  const most = Math.max(1, ...spreads.map(({ max }) => max));
  const x = (ratio: number) => LEFT + (ratio / most) * (WIDTH - LEFT - RIGHT);
  const rows: string[] = [];
  let y = TOP;
  for (const { title, others } of groups) {
    rows.push(text("group", 16, y + 20, title));
    y += GROUP;
    for (const { server, comparison } of others) {
      const { median, min, max } = comparison.requestsPerSecond;
      const middle = y + ROW / 2;
      rows.push(text("end", LEFT - 10, middle + 4, server.peer.title));
      rows.push(rect("bar ours", LEFT, y + 4, x(median) - LEFT, ROW - 8));
      rows.push(
        line("mark", [
          [x(min), middle],
          [x(max), middle],
        ]),
      );
      rows.push(text("", x(max) + 8, middle + 4, `${median.toFixed(2)}×`));
      y += ROW;
    }
  }
  const ticks = Array.from({ length: Math.floor(most) + 1 }, (_, tick) => tick);
  const grid = ticks.flatMap((tick) => [
    line(tick === 1 ? "mark" : "grid", [
      [x(tick), TOP],
      [x(tick), y + 4],
    ]),
    text("faint middle", x(tick), TOP - 6, `${tick}×`),
  ]);
  const heading = "Requests per second of Calltrack, relative to the other server";
  return svg(WIDTH, y + 20, heading, [text("title", 16, 26, heading), ...grid, ...rows]);
}
