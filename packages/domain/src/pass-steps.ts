import { formatCoarseDuration } from "./coarse-duration.js";
import type { PassContext } from "./pass-context.js";
import {
  compareActivationOrder,
  findGracePeriodEnd,
  isDeletedInNextPass,
  type PassTracker,
  type TrackerStatus,
} from "./pass-tracker.js";
import { createSourceKey, formatSource, type SourceMedium } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import { findSourceStanding, formatRank, formatRankShortfall, isTopSource } from "./source-standing.js";
import type { TrackerChange } from "./tracker-change.js";

const RETIRING = "the tracking number is being retired";

/** A step of a pass: returns the changes that it makes to the given trackers, at most one for each tracker. */
export type PassStep = (context: PassContext, trackers: readonly PassTracker[]) => readonly TrackerChange[];

/** The steps of a pass over an automanaged pool, in order. */
export const automanagedPassSteps: readonly PassStep[] = [retire, fillPool, flag, unflag, activate, deactivate, shrink];

/** The steps of a pass over a manual pool, in order. None activates or flags trackers, because people do. */
export const manualPassSteps: readonly PassStep[] = [retire, fillPool, deleteEnded, shrink];

export function findUnservedSources(
  sources: readonly RankedSource[],
  trackers: readonly PassTracker[],
): readonly RankedSource[] {
  const served = new Set(withStatus("active", trackers).map(({ source }) => source && createSourceKey(source)));
  return sources.filter((source) => !served.has(createSourceKey(source)));
}

/** Deletes trackers whose numbers are being retired, if they are available or must be deleted immediately. */
function retire(_: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return trackers.filter(isDeletedInNextPass).map(({ trackingNumber, source, retirement }) => {
    const reason = retirement === "immediate" ? "the tracking number is retired immediately" : RETIRING;
    return { kind: "deleted", trackingNumber, source, reason };
  });
}

/** Adds trackers until the pool has its size or the inventory has no free number left. */
export function fillPool(
  { pool, inventory, idle }: PassContext,
  trackers: readonly PassTracker[],
): readonly TrackerChange[] {
  if (idle.count + trackers.length >= pool.size) return [];
  const taken = new Set(trackers.map(({ trackingNumber }) => trackingNumber));
  const changes: TrackerChange[] = [];
  for (const trackingNumber of inventory) {
    const count = idle.count + taken.size;
    if (count >= pool.size) break;
    if (taken.has(trackingNumber)) continue;
    changes.push({ kind: "added", trackingNumber, source: undefined, reason: holdsText(count, pool.size) });
    taken.add(trackingNumber);
  }
  return changes;
}

/**
 * Flags active trackers whose sources do not rank high enough. Also flags trackers whose numbers are being retired, so that the sources of these
 * trackers get other trackers.
 */
function flag(context: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return withStatus("active", trackers).flatMap(({ trackingNumber, source, retirement }) => {
    const drop = source ? dropText(context, source) : "the call tracker has no source";
    const reason = retirement === undefined ? drop : RETIRING;
    return reason === undefined ? [] : [{ kind: "flagged", trackingNumber, source, reason }];
  });
}

function unflag(
  { ranking, maxActive, settings }: PassContext,
  trackers: readonly PassTracker[],
): readonly TrackerChange[] {
  return withStatus("flagged", trackers).flatMap(({ trackingNumber, source, retirement }) => {
    if (!source || retirement !== undefined) return [];
    const standing = findSourceStanding(ranking, source);
    if (!isTopSource(standing, maxActive, settings.visitThreshold)) return [];
    const reason = `${formatSource(source)} is back in the top ${maxActive} with rank ${standing.rank}`;
    return [{ kind: "unflagged", trackingNumber, source, reason }];
  });
}

/** Activates available trackers for the top sources that have no active tracker, best source first. */
function activate({ ranking, maxActive }: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  const available = [...withStatus("available", trackers)].sort(compareActivationOrder);
  return findUnservedSources(ranking.top, trackers)
    .slice(0, available.length)
    .map(({ source, medium }, i) => {
      const { trackingNumber } = available[i] as PassTracker;
      const taker = { source, medium };
      const reason = `${formatSource(taker)} has ${formatRank(findSourceStanding(ranking, taker).rank ?? 0, maxActive)}`;
      return { kind: "activated", trackingNumber, source: taker, reason };
    });
}

/** Makes flagged trackers available if their grace period has ended, or deletes them if their numbers are being retired. */
function deactivate(context: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return withEndedGracePeriod(context, trackers).map(({ trackingNumber, source, droppedAt, retirement }) => {
    const flagged = flaggedText(droppedAt, context.now);
    if (retirement === undefined) return { kind: "deactivated", trackingNumber, source, reason: flagged };
    return { kind: "deleted", trackingNumber, source, reason: `${RETIRING}: ${flagged}` };
  });
}

function deleteEnded(context: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return withEndedGracePeriod(context, trackers).map(({ trackingNumber, droppedAt }) => {
    return { kind: "deleted", trackingNumber, source: undefined, reason: flaggedText(droppedAt, context.now) };
  });
}

/** Deletes available trackers until the pool no longer exceeds its size. Deletes them in reverse activation order. */
function shrink({ pool, idle }: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  const count = idle.count + trackers.length;
  const surplus = count - pool.size;
  if (surplus <= 0) return [];
  return [...withStatus("available", trackers)]
    .sort((one, other) => compareActivationOrder(other, one))
    .slice(0, surplus)
    .map(({ trackingNumber }, i) => {
      const reason = holdsText(count - i, pool.size);
      return { kind: "deleted", trackingNumber, source: undefined, reason };
    });
}

function withStatus(status: TrackerStatus, trackers: readonly PassTracker[]): readonly PassTracker[] {
  return trackers.filter((each) => each.status === status);
}

function withEndedGracePeriod(
  { now, settings }: PassContext,
  trackers: readonly PassTracker[],
): readonly PassTracker[] {
  return trackers.filter(
    (each) => now.getTime() >= (findGracePeriodEnd(each, settings.gracePeriodMs) ?? Number.POSITIVE_INFINITY),
  );
}

/** Returns the reason why a source does not rank high enough for a tracker; undefined if it does. */
function dropText({ maxActive, ranking, settings }: PassContext, source: SourceMedium): string | undefined {
  const standing = findSourceStanding(ranking, source);
  return isTopSource(standing, maxActive, settings.visitThreshold)
    ? undefined
    : `${formatSource(source)} has ${formatRankShortfall(standing, maxActive, settings.visitThreshold)}`;
}

function flaggedText(droppedAt: Date | undefined, now: Date): string {
  return `the call tracker was flagged ${formatCoarseDuration(now.getTime() - (droppedAt ?? now).getTime())} ago`;
}

function holdsText(trackers: number, size: number): string {
  return `the pool holds ${trackers} of ${size} call trackers`;
}
