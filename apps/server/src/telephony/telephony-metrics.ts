import { setTimeout as pause } from "node:timers/promises";
import type { CallerNumber } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { countRunningCalls } from "../api/calls/call-evidence-repository.js";
import type { Journal, JournalEntry } from "./outage/journal.js";
import type { WebhookName } from "./webhook-request.js";

/** The origin of a call's route: the database, the routing cache, or the phone system's fallback number. */
export type CallRouteOrigin = "database" | "cache" | "fallback";

/** Records metrics about requests from phone systems. No label identifies a caller or a called number. */
export type TelephonyMetrics = ReturnType<typeof registerTelephonyMetrics>;

/** Upper bounds of the histogram in seconds. A response that waits for a stalled database takes 0.6 to 1 s. */
const BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2.5];

export function registerTelephonyMetrics(registry: Registry, journal: Pick<Journal<JournalEntry>, "size" | "dropped">) {
  const registers = [registry];
  const durations = new Histogram({
    name: "calltrack_webhook_duration_seconds",
    help: "Duration of authenticated requests from phone systems, from the complete request body to the response.",
    labelNames: ["phone_system", "page"] as const,
    buckets: BUCKETS,
    registers,
  });
  const routed = new Counter({
    name: "calltrack_routed_calls_total",
    help: "Calls routed for phone systems, by the origin of the route and by what is known about the caller's number.",
    labelNames: ["phone_system", "by", "caller"] as const,
    registers,
  });
  const rejected = new Counter({
    name: "calltrack_webhooks_rejected_total",
    help: "Requests from phone systems that were rejected: not authentic, or from a disabled or unknown phone system.",
    labelNames: ["phone_system"] as const,
    registers,
  });
  const journaled = new Counter({
    name: "calltrack_journaled_reports_total",
    help: "Reports from phone systems that were written to the journal, because the database could not record them.",
    labelNames: ["phone_system"] as const,
    registers,
  });
  new Gauge({
    name: "calltrack_journal_entries",
    help: "Reports in the journal that are not recorded in the database yet.",
    registers,
    collect() {
      this.set(journal.size);
    },
  });
  new Gauge({
    name: "calltrack_journal_dropped",
    help: "Reports that the journal has dropped since the start, because it was full or they waited too long.",
    registers,
    collect() {
      this.set(journal.dropped);
    },
  });
  return {
    /** Counts an authenticated request, and records the seconds until its response. */
    answered: (phone_system: string, page: WebhookName, seconds: number) =>
      durations.observe({ phone_system, page }, seconds),
    routed: (phone_system: string, by: CallRouteOrigin, caller: CallerNumber["kind"]) =>
      routed.inc({ phone_system, by, caller }),
    /** Counts a request that was rejected with 403. */
    rejected: (phone_system: string) => rejected.inc({ phone_system }),
    /** Counts a report that could not be recorded in the database. */
    journaled: (phone_system: string) => journaled.inc({ phone_system }),
  };
}

/** How long a scrape waits for the database. By default, Prometheus waits ten seconds for all metrics together. */
const TIMEOUT_MS = 2000;

/** Registers the metric of running calls. Each scrape reads the metric from the database, and omits it if the database does not respond. */
export function registerRunningCallsMetric(db: Executor, registry: Registry): void {
  new Gauge({
    name: "calltrack_running_calls",
    help: "Calls whose end the phone system has not reported yet.",
    labelNames: ["phone_system"] as const,
    registers: [registry],
    async collect() {
      const counting = countRunningCalls(db).catch(() => undefined);
      const counts = await Promise.race([counting, pause(TIMEOUT_MS, undefined, { ref: false })]);
      this.reset();
      for (const { phone_system_id, calls } of counts ?? []) this.set({ phone_system: phone_system_id }, calls);
    },
  });
}
