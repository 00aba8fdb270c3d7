import type { PassInput, PassPool, PassSettings } from "../pass-input.js";
import type { PassTracker, RetirementMode } from "../pass-tracker.js";
import type { SourceMedium } from "../source-medium.js";
import type { RankedSource } from "../source-ranking.js";

export const DAY_MS = 86_400_000;

/** The time of the pass in every scenario. */
export const NOW = new Date("2026-03-01T12:00:00Z");

export const SETTINGS: PassSettings = { minimum: 1, visitThreshold: 100, gracePeriodMs: 30 * DAY_MS };

/** How a scenario differs from the default: an empty automanaged pool of size 10 with up to 5 active trackers, no visits and no free numbers. */
export interface Scenario extends Partial<Omit<PassInput, "pool" | "settings" | "sources">> {
  readonly isManual?: boolean;
  readonly isFrozen?: boolean;
  readonly size?: number;
  readonly utilization?: number;
  /** The number of visits, keyed by the source. The medium is always `cpc`. */
  readonly visits?: { readonly [source: string]: number };
  readonly settings?: Partial<PassSettings>;
}

export function passInput({ isManual, isFrozen, size, utilization, visits, settings, ...rest }: Scenario): PassInput {
  const pool: PassPool = {
    isManual: isManual ?? false,
    isFrozen: isFrozen ?? false,
    size: size ?? 10,
    utilization: isManual ? undefined : (utilization ?? 0.5),
  };
  const sources: readonly RankedSource[] = Object.entries(visits ?? {}).map(([source, count]) => {
    return { ...cpc(source), visits: count };
  });
  return { pool, trackers: [], sources, inventory: [], now: NOW, settings: { ...SETTINGS, ...settings }, ...rest };
}

export function cpc(source: string): SourceMedium {
  return { source, medium: "cpc" };
}

/** Returns the time `days` days before `NOW`. */
export function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY_MS);
}

export function availableTracker(trackingNumber: string, sinceDays = 50): PassTracker {
  return {
    trackingNumber,
    status: "available",
    source: undefined,
    droppedAt: undefined,
    availableSince: daysAgo(sinceDays),
    retirement: undefined,
  };
}

export function retiring(tracker: PassTracker, retirement: RetirementMode = "gradual"): PassTracker {
  return { ...tracker, retirement };
}

/** @param source undefined for a tracker of a manual pool. */
export function activeTracker(trackingNumber: string, source?: string): PassTracker {
  return { ...availableTracker(trackingNumber), status: "active", source: source === undefined ? source : cpc(source) };
}

/** @param sinceDays how many days before `NOW` the tracker was flagged. */
export function flaggedTracker(trackingNumber: string, source: string | undefined, sinceDays: number): PassTracker {
  return { ...activeTracker(trackingNumber, source), status: "flagged", droppedAt: daysAgo(sinceDays) };
}

/** Returns `count` available trackers with the numbers `+1`, `+2` and so on. */
export function availableTrackers(count: number): readonly PassTracker[] {
  return numbers(count).map((number) => availableTracker(number));
}

/** Returns the numbers `+1`, `+2` and so on. */
export function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `+${i + 1}`);
}
