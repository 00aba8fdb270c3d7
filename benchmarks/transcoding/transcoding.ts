import { writeFile } from "node:fs/promises";
import type { Spread } from "../comparison.ts";
import { table } from "../table.ts";
import { type CaseCost, type CasePlan, measureCases } from "./processor-time.ts";
import { callCases, jsonCases, pieceCases } from "./requests.ts";
import { allRoutesCases, pathLengthCases, SOME_ROUTES, someRoutesCases } from "./routing.ts";

const FULL: CasePlan = { rounds: 15, roundMs: 100 };
const QUICK: CasePlan = { rounds: 3, roundMs: 20 };

/** Measures routing, decoding and encoding alone. Prints the results, and writes them unless the run is quick. */
export async function runTranscodingBenchmark(quick: boolean): Promise<void> {
  const plan = quick ? QUICK : FULL;
  const page = formatPage(plan, {
    someRoutes: await measureCases(someRoutesCases(), plan),
    allRoutes: await measureCases(allRoutesCases(), plan),
    lengths: await measureCases(pathLengthCases(), plan),
    pieces: await measureCases(pieceCases(), plan),
    calls: await measureCases(callCases(), plan),
    json: await measureCases(jsonCases(), plan),
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

What \`packages/transcoding\` costs by itself, without a network and without a database: processor time of the whole process,
the garbage collector's too, in microseconds; the median of ${plan.rounds} rounds, and in brackets the least and the greatest. See
[README](README.md).

## Finding a route

All paths have 4 segments, two of them variables. A look-up takes as many steps among 10,000 routes as among 10. What it costs
more where all of them are asked for in turn, and not only ${SOME_ROUTES} of them, is the memory that no longer fits into the
processor's caches.

${table(
  ["routes", `µs, ${SOME_ROUTES} of them asked for`, "beside the first", "µs, all asked for", "beside the first"],
  someRoutes.map((cost, index) => [
    cost.title,
    ...relative(cost, someRoutes[0]),
    ...relative(allRoutes[index], allRoutes[0]),
  ]),
)}

By the length of the path, every other segment a variable, among 1,000 routes:

${table(
  ["path", "µs", "beside the first"],
  lengths.map((cost) => [cost.title, ...relative(cost, lengths[0])]),
)}

## A request

*The pieces* are from the raw path to the route, from there and the body's bytes to the message, and from the answer to its JSON
text. *The call* is everything between a server and a handler that has its answer at hand: with the pieces also reading headers,
the handler's context, checking its answer, and the response's headers. Beside it stands what V8 takes to parse and to print the
same JSON, without looking at what is in it.

${table(
  ["request", "the pieces, µs", "the call, µs", "JSON.parse and stringify, µs"],
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
