/** The outcome of a leg that has ended. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/** How a leg to the business ended. */
export interface LegEnd {
  readonly outcome: LegOutcome;
  /** Set if the caller hung up before the leg was answered. The outcome is then `missed`, a value that earlier releases know. */
  readonly isAbandoned?: true;
}

/** Returns how a leg ended, according to its final SIP status (RFC 3261). Returns undefined if the status is not final. */
export function findLegEndBySipStatus(status: number): LegEnd | undefined {
  if (!(status >= 200 && status < 700)) return undefined;
  if (status < 300) return { outcome: "answered" };
  return SIP_ENDS.get(status) ?? { outcome: "failed" };
}

/** Returns how a leg ended, according to Asterisk's variable DIALSTATUS. Returns undefined for an unknown status. */
export function findLegEndByDialStatus(status: string): LegEnd | undefined {
  return DIAL_ENDS.get(status);
}

/** The end of a leg that nobody had answered when the caller hung up. */
export const ABANDONED_LEG_END: LegEnd = { outcome: "missed", isAbandoned: true };

const SIP_ENDS: ReadonlyMap<number, LegEnd> = new Map([
  [486, { outcome: "busy" }],
  [600, { outcome: "busy" }],
  [603, { outcome: "busy" }],
  [408, { outcome: "missed" }],
  [480, { outcome: "missed" }],
  [487, ABANDONED_LEG_END],
]);

const DIAL_ENDS: ReadonlyMap<string, LegEnd> = new Map([
  ["ANSWER", { outcome: "answered" }],
  ["BUSY", { outcome: "busy" }],
  ["NOANSWER", { outcome: "missed" }],
  ["CANCEL", ABANDONED_LEG_END],
  ["DONTCALL", { outcome: "missed" }],
  ["CHANUNAVAIL", { outcome: "failed" }],
  ["CONGESTION", { outcome: "failed" }],
  ["INVALIDARGS", { outcome: "failed" }],
]);
