import { durationText } from "./duration-text.js";
import type { PassContext } from "./pass-context.js";
import {
  compareAvailability,
  gracePeriodEnd,
  isDeletedNextPass,
  type PassTracker,
  type TrackerStatus,
} from "./pass-tracker.js";
import { type SourceMedium, sourceKey, sourceText } from "./source-medium.js";
import type { RankedSource } from "./source-ranking.js";
import { findStanding, isInTop, rankText, shortfallText } from "./source-standing.js";
import type { TrackerChange } from "./tracker-change.js";

const RETIRING = "its number is being retired";

/** A step of a pass: returns its changes to the given trackers, at most one for each tracker. */
export type PassStep = (context: PassContext, trackers: readonly PassTracker[]) => readonly TrackerChange[];

/** The steps of a pass over an automanaged pool, in order. */
export const automanagedSteps: readonly PassStep[] = [retire, fillPool, flag, unflag, activate, deactivate, shrink];

/** The steps of a pass over a manual pool, in order. People activate and flag its trackers. */
export const manualSteps: readonly PassStep[] = [retire, fillPool, deleteEnded, shrink];

export function findUnserved(
  sources: readonly RankedSource[],
  trackers: readonly PassTracker[],
): readonly RankedSource[] {
  const served = new Set(withStatus("active", trackers).map(({ source }) => source && sourceKey(source)));
  return sources.filter((source) => !served.has(sourceKey(source)));
}

/** Deletes trackers whose numbers are being retired, if they are available or must be deleted immediately. */
function retire(_: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return trackers.filter(isDeletedNextPass).map(({ trackingNumber, source, retirement }) => {
    const reason = retirement === "immediate" ? "its number is retired immediately" : RETIRING;
    return { kind: "deleted", trackingNumber, source, reason };
  });
}

/** Adds trackers until the pool reaches its size or the inventory is exhausted. */
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

/** Flags active trackers whose sources are not in the top, and those whose numbers are being retired, so that their sources get others. */
function flag(context: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  return withStatus("active", trackers).flatMap(({ trackingNumber, source, retirement }) => {
    const drop = source ? dropText(context, source) : "it has no source";
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
    const standing = findStanding(ranking, source);
    if (!isInTop(standing, maxActive, settings.visitThreshold)) return [];
    const reason = `${sourceText(source)} is back in the top ${maxActive} with rank ${standing.rank}`;
    return [{ kind: "unflagged", trackingNumber, source, reason }];
  });
}

/** Assigns available trackers to the top sources that have no active tracker, best rank first. */
function activate({ ranking, maxActive }: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  const available = [...withStatus("available", trackers)].sort(compareAvailability);
  return findUnserved(ranking.top, trackers)
    .slice(0, available.length)
    .map(({ source, medium }, i) => {
      const { trackingNumber } = available[i] as PassTracker;
      const taker = { source, medium };
      const reason = `${sourceText(taker)} has ${rankText(findStanding(ranking, taker).rank ?? 0, maxActive)}`;
      return { kind: "activated", trackingNumber, source: taker, reason };
    });
}

/** Makes flagged trackers available when their grace period ends, or deletes them if their numbers are being retired. */
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

/** Deletes available trackers until the pool has its size, starting with the last one in activation order. */
function shrink({ pool, idle }: PassContext, trackers: readonly PassTracker[]): readonly TrackerChange[] {
  const count = idle.count + trackers.length;
  const surplus = count - pool.size;
  if (surplus <= 0) return [];
  return [...withStatus("available", trackers)]
    .sort((one, other) => compareAvailability(other, one))
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
    (each) => now.getTime() >= (gracePeriodEnd(each, settings.gracePeriodMs) ?? Number.POSITIVE_INFINITY),
  );
}

/** Returns why a source is not in the top, or undefined if it is. */
function dropText({ maxActive, ranking, settings }: PassContext, source: SourceMedium): string | undefined {
  const standing = findStanding(ranking, source);
  return isInTop(standing, maxActive, settings.visitThreshold)
    ? undefined
    : `${sourceText(source)} has ${shortfallText(standing, maxActive, settings.visitThreshold)}`;
}

function flaggedText(droppedAt: Date | undefined, now: Date): string {
  return `flagged ${durationText(now.getTime() - (droppedAt ?? now).getTime())} ago`;
}

function holdsText(trackers: number, size: number): string {
  return `the pool holds ${trackers} of ${size} call trackers`;
}
