import type { NumberPair } from "./number-swap.js";
import { DIRECT, findCampaign, findReferrer, type TrafficSource } from "./traffic-source.js";

/** What is remembered of a visit for as long as the tab is open. */
export interface Visit extends TrafficSource {
  /** What `Campaign` has; undefined if the visit did not come from one. */
  readonly campaign?: string;
  /** The id to report it with; empty once it was reported, and if it is none to report. */
  event: string;
  /** The numbers as they were last found; undefined if they never were. */
  numbers?: readonly NumberPair[];
}

/**
 * The visit that a page belongs to: the one before, which goes on, or a new one if there was none or the address has another
 * campaign. A page that was reached from its own host and remembers nothing, as in a new tab, begins no visit to report.
 */
export function continueVisit(before: Visit | undefined, address: string, referrer: string): Visit {
  const found = findCampaign(address);
  if (before && (!found || found.campaign === before.campaign)) return before;
  const from = found ?? findReferrer(referrer, address);
  if (!from) return { ...DIRECT, event: "" };
  // The URL of a blob ends in a random UUID (File API, 8.3). `crypto.randomUUID` is missing on pages without TLS.
  return { ...from, event: URL.createObjectURL(new Blob()).slice(-36) };
}
