import type { PassOutcome } from "@calltrack/domain";
import { Counter, Histogram, type Registry } from "prom-client";

const PASS_STATUSES = ["managed", "frozen", "failed"] as const;

export type PassStatus = (typeof PASS_STATUSES)[number];

export interface PassObserver {
  /** @param outcome undefined unless `result` is `managed`. */
  observe(result: PassStatus, seconds: number, outcome?: PassOutcome): void;
}

export function registerPassMetrics(registry: Registry): PassObserver {
  const registers = [registry];
  const passes = new Counter({
    name: "calltrack_passes_total",
    help: "Pool passes attempted by this server, by result.",
    labelNames: ["result"] as const,
    registers,
  });
  const changes = new Counter({
    name: "calltrack_call_tracker_changes_total",
    help: "Call tracker changes made by passes on this server, by kind.",
    labelNames: ["kind"] as const,
    registers,
  });
  const duration = new Histogram({
    name: "calltrack_pass_duration_seconds",
    help: "Duration of passes on this server.",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  // An alert compares the rate of passes with 0. Without these values, the rate would not exist on servers that have run no pass yet.
  for (const result of PASS_STATUSES) passes.inc({ result }, 0);
  return {
    observe(result, seconds, outcome) {
      passes.inc({ result });
      duration.observe(seconds);
      for (const { kind } of outcome?.changes ?? []) changes.inc({ kind });
    },
  };
}
