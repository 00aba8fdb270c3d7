import { formatMarkdownTable } from "../markdown-table.ts";
import { startPostgres } from "../postgres.ts";
import { publishResults } from "../results-page.ts";
import { type DeliveryFigures, measureDeliveries } from "./deliveries.ts";
import { type ListFigures, measureListCosts } from "./lists.ts";
import { measureWatchers, WATCHER_COUNT, type WatcherFigures } from "./watchers.ts";

const FULL = { rounds: 5, calls: 1_000_000, deliverySeconds: 60, restSeconds: 60 };
const QUICK = { rounds: 1, calls: 50_000, deliverySeconds: 10, restSeconds: 10 };

/**
 * Measures the readers of the event log: watchers, lists and webhook endpoints. Prints the results. A full run also writes them to the results page.
 */
export async function runEventsBenchmark(resources: AsyncDisposableStack, quick: boolean): Promise<void> {
  const { rounds, calls, deliverySeconds, restSeconds } = quick ? QUICK : FULL;
  const watchers = await measureWatchers(resources, await startPostgres(resources), rounds);
  const lists = await measureListCosts(resources, await startPostgres(resources), calls, rounds);
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

Memory for each of ${WATCHER_COUNT} open streams, compared with as many open responses of a minimal server. Each figure is the median of ${watchers[0]?.rounds} rounds. The goal for
resident memory is a ratio of at most 1.5×. Live objects remain after a garbage collection. Resident memory grows by less, because a new process has free memory.

${formatMarkdownTable(
  ["protocol", "memory", "Calltrack", "minimal server", "ratio"],
  watchers.flatMap(({ title, ours, bare }) => [
    [title, "resident", kib(ours.resident), kib(bare.resident), ratio(ours.resident, bare.resident)],
    ["", "live objects", kib(ours.live), kib(bare.live), ratio(ours.live, bare.live)],
  ]),
)}

## Lists

CPU time of the server and of PostgreSQL for reading an account's ${lists.calls.toLocaleString("en")} calls, and one event about each call, in pages of 1000. Each figure is the median of
${lists.rounds} rounds. The goal is a ratio of at most 2×.

${formatMarkdownTable(
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

The benchmark recorded ${latencies.count.toLocaleString("en")} calls with \`calls:batch\`, ${perSecond} per second. Each call caused one event for a webhook endpoint whose receiver answers immediately.
The latency is the time from the event to the arrival of its request. The goal is a p99 below 1 s.

${formatMarkdownTable(["p50", "p99", "max"], [[latencies.p50, latencies.p99, latencies.max].map((ms) => `${Math.round(ms)} ms`)])}

Transactions of the idle server: ${restBefore.toFixed(2)} per second before the webhook endpoint was created, and ${restAfter.toFixed(2)} per second after the deliveries.
`;
}
