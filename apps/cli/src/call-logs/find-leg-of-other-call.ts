import { normalizeWord } from "../text/normalize-word.js";
import type { CallLeg } from "./call-leg.js";
import { type NationalNumberOptions, parseCallLogPhoneNumber } from "./log-number.js";

/** Maximum time from the end of one row to the start of the next row of a call: logs have whole seconds, and transfers take time. */
const MAX_GAP_MS = 60_000;

/** A row with the id of another call: a phone system that restarts may number its calls from the beginning again. */
interface LegOfOtherCall {
  readonly leg: CallLeg;
  readonly problem: string;
}

/**
 * Returns the first leg that belongs to another call; undefined if there is none. A leg of another call has a different caller, and starts more than
 * {@link MAX_GAP_MS} after the end of all earlier legs.
 *
 * Its dialed number must also differ, unless all callers are full phone numbers.
 *
 * @param legs the rows that share an id, in the order of their start times.
 */
export function findLegOfOtherCall(
  legs: readonly CallLeg[],
  options: NationalNumberOptions,
): LegOfOtherCall | undefined {
  const [callers, dialed] = [new Set<string>(), new Set<string>()];
  let lastEnd = Number.POSITIVE_INFINITY;
  let areFull = true;
  for (const [index, leg] of legs.entries()) {
    const { startedAt = 0, endedAt = Number.POSITIVE_INFINITY } = leg;
    const [caller, number] = [leg.callerNumber, leg.trackingNumber].map((text) => partyOf(text, options));
    const isLater = index > 0 && startedAt > lastEnd + MAX_GAP_MS;
    if (isLater && caller !== undefined && isOtherCall(caller, number)) {
      const problem =
        `lines ${legs[0]?.row.line} and ${leg.row.line} have the same id, but different callers and times: the lines belong to different calls, ` +
        "so give each call a unique id";
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

/** Returns a text that identifies a caller or a dialed number; undefined for a withheld or missing number. */
function partyOf(text: string, options: NationalNumberOptions): string | undefined {
  const read = parseCallLogPhoneNumber(text, options);
  if (read.kind === "number") return read.number;
  return read.kind === "withheld" ? undefined : normalizeWord(text) || undefined;
}
