import type { Answer } from "./number-display.js";
import { DIRECT, findCampaign, findReferrerSource, type TrafficSource } from "./traffic-source.js";

/** The state of a visit, kept until the tab is closed. */
export interface Visit extends TrafficSource {
  /** See `Campaign`; undefined if the visit has no campaign. */
  readonly campaign?: string;
  /** The event id for reporting the visit; empty once reported, or if the visit must not be reported. */
  event: string;
  /** The numbers of the last response; undefined before the first one. */
  answer?: Answer;
}

/**
 * Returns the visit that a page belongs to: the previous visit, or a new one if there was none or the URL has another
 * campaign.
 *
 * A page without a stored visit whose referrer has the same host, as in a new tab, starts a visit that is not reported.
 */
export function continueVisit(previous: Visit | undefined, address: string, referrer: string): Visit {
  const found = findCampaign(address);
  if (previous && (!found || found.campaign === previous.campaign)) return previous;
  const from = found ?? findReferrerSource(referrer, address);
  if (!from) return { ...DIRECT, event: "" };
  // Blob URLs end with a random UUID (File API, 8.3). `crypto.randomUUID` is unavailable on pages without TLS.
  return { ...from, event: URL.createObjectURL(new Blob()).slice(-36) };
}
