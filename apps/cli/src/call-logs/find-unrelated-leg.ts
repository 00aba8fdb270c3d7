import { comparableWord } from "../text/comparable-name.js";
import type { CallLeg } from "./call-leg.js";
import { type NumberOptions, readLogNumber } from "./log-number.js";

/** The maximum gap between rows of one call: logs have whole seconds, and transfers take time. */
const MAX_GAP_MS = 60_000;

/** A row that has the id of a different call, which happens if a phone system restarts and counts its calls from the beginning. */
interface UnrelatedLeg {
  readonly leg: CallLeg;
  readonly problem: string;
}

/**
 * Finds a row that belongs to a different call: it began after all earlier rows had ended, and has another caller. Its dialed number must
 * differ too, unless both callers are full numbers.
 *
 * @param legs the rows with one id, in the order of their start.
 */
export function findUnrelatedLeg(legs: readonly CallLeg[], options: NumberOptions): UnrelatedLeg | undefined {
  const [callers, dialed] = [new Set<string>(), new Set<string>()];
  let lastEnd = Number.POSITIVE_INFINITY;
  let areFull = true;
  for (const [index, leg] of legs.entries()) {
    const { startedAt = 0, endedAt = Number.POSITIVE_INFINITY } = leg;
    const [caller, number] = [leg.callerNumber, leg.trackingNumber].map((text) => partyOf(text, options));
    const isLater = index > 0 && startedAt > lastEnd + MAX_GAP_MS;
    if (isLater && caller !== undefined && isOtherCall(caller, number)) {
      const problem =
        `lines ${legs[0]?.row.line} and ${leg.row.line} have the same id, but different callers and times: they are different calls, ` +
        "so give each call its own id";
      return { leg, problem };
    }
    lastEnd = index === 0 ? endedAt : Math.max(lastEnd, endedAt);
    if (caller !== undefined) {
      callers.add(caller);
      areFull &&= isFull(caller);
    }
    if (number !== undefined) dialed.add(number);
  }
  return undefined;

  function isOtherCall(caller: string, number: string | undefined): boolean {
    // A transferred or forwarded call comes from the number that an earlier leg dialed.
    if (callers.size === 0 || callers.has(caller) || dialed.has(caller)) return false;
    return (areFull && isFull(caller)) || (number !== undefined && !dialed.has(number) && !callers.has(number));
  }
}

function isFull(party: string): boolean {
  return party.startsWith("+");
}

/** Returns a text that identifies a party; undefined if the row does not identify it. */
function partyOf(text: string, options: NumberOptions): string | undefined {
  const read = readLogNumber(text, options);
  if (read.kind === "number") return read.number;
  return read.kind === "withheld" ? undefined : comparableWord(text) || undefined;
}
