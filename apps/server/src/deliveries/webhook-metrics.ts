import { setTimeout as pause } from "node:timers/promises";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { prepareStatement } from "../database/prepared-statement.js";

/** Counts an attempt with its duration, or a delivery that is given up (`dead`), without a duration. */
export type DeliveryObserver = (result: "delivered" | "failed" | "dead", seconds?: number) => void;

export function registerDeliveryAttemptMetrics(registry: Registry): DeliveryObserver {
  const registers = [registry];
  const results = new Counter({
    name: "calltrack_deliveries_total",
    help: "Requests to webhook endpoints by their result, and deliveries that were given up (dead).",
    labelNames: ["result"],
    registers,
  });
  const durations = new Histogram({
    name: "calltrack_delivery_attempt_seconds",
    help: "Duration of requests to webhook endpoints.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
    registers,
  });
  for (const result of ["delivered", "failed", "dead"]) results.inc({ result }, 0);
  return (result, seconds) => {
    results.inc({ result });
    if (seconds !== undefined) durations.observe(seconds);
  };
}

interface Backlog {
  /** Deliveries that wait to be sent to active endpoints. */
  readonly waiting: number;
  /** When the oldest event that waits to be delivered to an active endpoint happened; null if no event waits. */
  readonly oldest_at: Date | null;
  readonly inactive: number;
}

/** Deliveries to inactive endpoints wait until a request resumes the endpoint, and deliveries to deleted endpoints are never sent. */
const WAITING = sql`webhook_deliveries as delivery
  join webhook_endpoints as endpoint on endpoint.account_id = delivery.account_id and endpoint.id = delivery.endpoint_id
  where delivery.status = 'waiting' and endpoint.is_active`;

const readBacklogStatement = prepareStatement<object, Backlog>((db) =>
  db.selectNoFrom([
    sql<number>`(select count(*)::float8 from ${WAITING})`.as("waiting"),
    // If the oldest event has expired, reads the time of the first event after it.
    sql<Date | null>`(
      select occurred_at from events
      where position >= (select min(delivery.position) from ${WAITING})
      order by position limit 1)`.as("oldest_at"),
    sql<number>`(select count(*)::float8 from webhook_endpoints where not is_active)`.as("inactive"),
  ]),
);

/** How long a scrape waits for the database. By default, Prometheus waits ten seconds for all metrics together. */
const TIMEOUT_MS = 2000;

/** Registers the delivery metrics that each scrape reads from the database. They are omitted while the database does not respond. */
export function registerDeliveryBacklogMetrics(db: Executor, registry: Registry): void {
  const registers = [registry];
  const oldest = new Gauge({
    name: "calltrack_oldest_waiting_delivery_seconds",
    help: "Age of the oldest event that waits to be delivered to an active webhook endpoint; 0 if no event waits.",
    registers,
  });
  const inactive = new Gauge({
    name: "calltrack_inactive_webhook_endpoints",
    help: "Webhook endpoints that get no events, because Calltrack disabled them, or because a request or a restore made them inactive.",
    registers,
  });
  new Gauge({
    name: "calltrack_waiting_deliveries",
    help: "Deliveries that wait to be sent to active webhook endpoints.",
    registers,
    async collect() {
      const reading = readBacklogStatement(db, {}).catch(() => undefined);
      const [backlog] = (await Promise.race([reading, pause(TIMEOUT_MS, undefined, { ref: false })])) ?? [];
      for (const gauge of [this, oldest, inactive]) gauge.remove();
      if (backlog === undefined) return;
      this.set(backlog.waiting);
      oldest.set(backlog.oldest_at === null ? 0 : (Date.now() - backlog.oldest_at.getTime()) / 1000);
      inactive.set(backlog.inactive);
    },
  });
}
