import type { PassInput, PassPool, PassSettings } from "../pass-input.js";
import type { PassTracker, Retirement } from "../pass-tracker.js";
import type { SourceMedium } from "../source-medium.js";
import type { RankedSource } from "../source-ranking.js";

export const DAY = 86_400_000;

/** The moment of every scenario's pass. */
export const NOW = new Date("2026-03-01T12:00:00Z");

export const SETTINGS: PassSettings = { minimum: 1, visitThreshold: 100, timelineMs: 30 * DAY };

/** What a scenario differs in from an automanaged pool of 10 that may have 5 active, without trackers, visits or numbers. */
export interface Scenario extends Partial<Omit<PassInput, "pool" | "settings" | "sources">> {
  readonly isManual?: boolean;
  readonly isFrozen?: boolean;
  readonly size?: number;
  readonly utilization?: number;
  /** The visits of each source, by its name; the medium is always cpc. */
  readonly visits?: { readonly [source: string]: number };
  readonly settings?: Partial<PassSettings>;
}

/** What a pass over the scenario's pool is given. */
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

/** The moment so many days before that of the scenarios. */
export function daysAgo(days: number): Date {
  return new Date(NOW.getTime() - days * DAY);
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

/** The same tracker while its number is being retired. */
export function retiring(tracker: PassTracker, retirement: Retirement = "gradual"): PassTracker {
  return { ...tracker, retirement };
}

/** One of a manual pool has no source. */
export function activeTracker(trackingNumber: string, source?: string): PassTracker {
  return { ...availableTracker(trackingNumber), status: "active", source: source === undefined ? source : cpc(source) };
}

export function flaggedTracker(trackingNumber: string, source: string | undefined, droppedAt: Date): PassTracker {
  return { ...activeTracker(trackingNumber, source), status: "flagged", droppedAt };
}

/** So many available trackers, `+1` and on. */
export function availableTrackers(count: number): readonly PassTracker[] {
  return numbers(count).map((number) => availableTracker(number));
}

/** So many numbers, `+1` and on. */
export function numbers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `+${i + 1}`);
}
