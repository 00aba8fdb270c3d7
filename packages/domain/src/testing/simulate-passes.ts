import { compareSuppliedNumbers } from "../number-supply.js";
import type { PassOutcome } from "../pass-outcome.js";
import type { DatedTrackerChange, PoolForecast, PoolState } from "../pool-forecast.js";
import { runPass } from "./run-to-end.js";

/**
 * Simulates passes over a pool until the given time, as a reference for `forecastPool`. A full pass runs at every time at which anything could
 * change, and is repeated until it changes nothing.
 */
export function simulatePasses(start: PoolState, until: Date): PoolForecast {
  const changes: DatedTrackerChange[] = [];
  let state = start;
  let last = passOver(state);
  for (let next: Date | undefined = start.now; next !== undefined && next <= until; next = nextMoment(state)) {
    state = { ...state, now: next };
    do {
      last = passOver(state);
      changes.push(...last.changes.map((change) => ({ ...change, at: state.now })));
      state = nextPoolState(state, last);
    } while (last.changes.length > 0);
  }
  return { changes, unserved: last.unserved, missing: last.missing };
}

function passOver(state: PoolState): PassOutcome {
  const free = state.supply
    .filter(({ freeFrom }) => freeFrom === undefined || freeFrom <= state.now)
    .toSorted(compareSuppliedNumbers);
  return runPass({ ...state, inventory: free.map(({ trackingNumber }) => trackingNumber) });
}

function nextPoolState(state: PoolState, { changes, trackers }: PassOutcome): PoolState {
  const added = new Set(numbersOf("added", changes));
  const retired = new Set(state.trackers.flatMap((each) => (each.retirement ? [each.trackingNumber] : [])));
  const freeFrom = new Date(state.now.getTime() + state.numberRestMs);
  const returned = numbersOf("deleted", changes).filter(
    (number) => !retired.has(number) && (state.trackerAreaCodes.get(number) ?? state.areaCode) === state.areaCode,
  );
  const supply = [
    ...state.supply.filter(({ trackingNumber }) => !added.has(trackingNumber)),
    ...returned.map((trackingNumber) => ({ trackingNumber, freeFrom })),
  ];
  return { ...state, trackers, supply };
}

function numbersOf(kind: DatedTrackerChange["kind"], changes: PassOutcome["changes"]): readonly string[] {
  return changes.filter((change) => change.kind === kind).map(({ trackingNumber }) => trackingNumber);
}

/** Returns the next time when a grace period or a rest period ends. */
function nextMoment({ trackers, supply, now, settings }: PoolState): Date | undefined {
  const ends = trackers.flatMap(({ droppedAt }) => (droppedAt ? [droppedAt.getTime() + settings.gracePeriodMs] : []));
  const rests = supply.flatMap(({ freeFrom }) => freeFrom?.getTime() ?? []);
  const moments = [...ends, ...rests].filter((each) => each > now.getTime());
  return moments.length === 0 ? undefined : new Date(Math.min(...moments));
}
