import { startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import { table } from "../table.ts";
import { type DeliveryFigures, measureDeliveries } from "./deliveries.ts";
import { type ListFigures, measureLists } from "./lists.ts";
import { measureWatchers, WATCHERS, type WatcherFigures } from "./watchers.ts";

const FULL = { rounds: 5, calls: 1_000_000, deliverySeconds: 60, restSeconds: 60 };
const QUICK = { rounds: 1, calls: 50_000, deliverySeconds: 10, restSeconds: 10 };

/** Measures the readers of the event log: watchers, lists and webhook endpoints. Prints the results, and writes those of a full run. */
export async function runEventsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { rounds, calls, deliverySeconds, restSeconds } = quick ? QUICK : FULL;
  const watchers = await measureWatchers(resources, await startPostgres(resources), rounds);
  const lists = await measureLists(resources, await startPostgres(resources), calls, rounds);
  const deliveries = await measureDeliveries(resources, await startPostgres(resources), {
    deliverySeconds,
    restSeconds,
  });
  await publishResults("events", formatPage(watchers, lists, deliveries), !quick);
}

function formatPage(watchers: readonly WatcherFigures[], lists: ListFigures, deliveries: DeliveryFigures): string {
  const { perSecond, latencies, restBefore, restAfter } = deliveries;
  const kib = (bytes: number) => `${(bytes / 1024).toFixed(1)} KiB`;
  const ratio = (ours: number, bare: number) => `${(ours / bare).toFixed(2)}×`;
  return `# Results of events

See [README](README.md#events).

## Watchers at rest

Memory for each of ${WATCHERS} open streams, beside as many open responses of a bare server. The median of ${watchers[0]?.rounds} rounds. The goal for resident memory is at most
1.5×. Live objects are what a garbage collection leaves: resident memory grows by less, because a new process has free memory.

${table(
  ["protocol", "memory", "Calltrack", "bare server", "ratio"],
  watchers.flatMap(({ title, ours, bare }) => [
    [title, "resident", kib(ours.resident), kib(bare.resident), ratio(ours.resident, bare.resident)],
    ["", "live objects", kib(ours.live), kib(bare.live), ratio(ours.live, bare.live)],
  ]),
)}

## Lists

CPU time of the server and of PostgreSQL for an account's ${lists.calls.toLocaleString("en")} calls, and for one event of each, in pages of 1000. The median of ${lists.rounds} rounds; the
goal is at most 2×.

${table(
  ["list", "CPU time", "ratio", "largest resident memory of the server"],
  [
    ["calls", `${lists.callSeconds.toFixed(1)} s`, "", `${Math.round(lists.callMegabytes)} MB`],
    [
      "events with their calls",
      `${lists.eventSeconds.toFixed(1)} s`,
      ratio(lists.eventSeconds, lists.callSeconds),
      `${Math.round(lists.eventMegabytes)} MB`,
    ],
  ],
)}

## Deliveries

${latencies.count.toLocaleString("en")} calls recorded by \`calls:batch\`, ${perSecond} a second, each of them an event for one webhook endpoint whose receiver answers at once. The latency is
the time from the event to its request; the goal is a p99 below 1 s.

${table(["p50", "p99", "max"], [[latencies.p50, latencies.p99, latencies.max].map((ms) => `${Math.round(ms)} ms`)])}

Transactions of the server at rest: ${restBefore.toFixed(2)} a second before the endpoint was created, and ${restAfter.toFixed(2)} after the deliveries.
`;
}
