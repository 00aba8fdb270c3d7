import { writeFile } from "node:fs/promises";
import type { Spread } from "../comparison.ts";
import { table } from "../table.ts";
import { type CaseCost, type CasePlan, measureCases } from "./measure-cases.ts";
import { createCallCases, createJsonCases, createTranscodingCases } from "./requests.ts";
import { createAllRoutesCases, createFewRoutesCases, createPathLengthCases, SOME_ROUTES } from "./routing.ts";

const FULL: CasePlan = { rounds: 15, roundMs: 100 };
const QUICK: CasePlan = { rounds: 3, roundMs: 20 };

/** Measures routing, decoding and encoding alone. Prints the results, and writes them unless the run is quick. */
export async function runTranscodingBenchmark(quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const page = formatPage(plan, {
    someRoutes: await measureCases(createFewRoutesCases(), plan),
    allRoutes: await measureCases(createAllRoutesCases(), plan),
    lengths: await measureCases(createPathLengthCases(), plan),
    pieces: await measureCases(createTranscodingCases(), plan),
    calls: await measureCases(createCallCases(), plan),
    json: await measureCases(createJsonCases(), plan),
  });
  console.log(page);
  if (!quick) await writeFile(new URL("../RESULTS-transcoding.md", import.meta.url), page);
}

interface Costs {
  readonly someRoutes: readonly CaseCost[];
  readonly allRoutes: readonly CaseCost[];
  readonly lengths: readonly CaseCost[];
  readonly pieces: readonly CaseCost[];
  readonly calls: readonly CaseCost[];
  readonly json: readonly CaseCost[];
}

function formatPage(plan: CasePlan, { someRoutes, allRoutes, lengths, pieces, calls, json }: Costs): string {
  return `# Results of transcoding

Cost of \`packages/transcoding\` without a network and a database: CPU time of the whole process in microseconds, including
garbage collection. Figures are the median of ${plan.rounds} rounds, with minimum and maximum in brackets. See
[README](README.md#transcoding).

## Routing

All paths have 4 segments, two of them variables. Routing takes as many steps among 10,000 routes as among 10. If all routes
are requested in turn, and not only ${SOME_ROUTES} of them, the routes no longer fit into the CPU caches.

${table(
  [
    "routes",
    `µs, ${SOME_ROUTES} of them requested`,
    "relative to the first",
    "µs, all requested",
    "relative to the first",
  ],
  someRoutes.map((cost, index) => [
    cost.title,
    ...relative(cost, someRoutes[0]),
    ...relative(allRoutes[index], allRoutes[0]),
  ]),
)}

By the length of the path, every other segment a variable, among 1,000 routes:

${table(
  ["path", "µs", "relative to the first"],
  lengths.map((cost) => [cost.title, ...relative(cost, lengths[0])]),
)}

## A request

*Transcoding* is routing the raw path, decoding the body's bytes into the message, and encoding the response as JSON text.
*The call* is everything between a server and a handler that responds at once. It adds request headers,
the handler's context, validation of its response, and response headers. The last column is the time of V8's own functions for the
same JSON.

${table(
  ["request", "transcoding, µs", "the call, µs", "JSON.parse and stringify, µs"],
  pieces.map((cost, index) => [
    cost.title,
    ...[cost, calls[index], json[index]].map((each) => micro(each?.microseconds)),
  ]),
)}

Measured by \`npm run bench -- transcoding\` on Node.js ${process.versions.node}.
`;
}

function relative(cost: CaseCost | undefined, first: CaseCost | undefined): readonly string[] {
  const ratio = (cost?.microseconds.median ?? Number.NaN) / (first?.microseconds.median ?? Number.NaN);
  return [micro(cost?.microseconds), `${ratio.toFixed(2)}×`];
}

function micro(spread: Spread | undefined): string {
  if (spread === undefined) return "–";
  return `**${spread.median.toFixed(2)}** (${spread.min.toFixed(2)}–${spread.max.toFixed(2)})`;
}
