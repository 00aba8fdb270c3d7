/** The outcome of a leg that has ended. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/** How a leg ended. */
export interface LegEnd {
  readonly outcome: LegOutcome;
  /** Whether the caller hung up before the leg was answered. The outcome is then `missed`, which earlier releases know. */
  readonly isAbandoned?: true;
}

/** Returns how a leg ended, by its final SIP status (RFC 3261); undefined if the status is not final. */
export function endOfSipStatus(status: number): LegEnd | undefined {
  if (!(status >= 200 && status < 700)) return undefined;
  if (status < 300) return { outcome: "answered" };
  return SIP_ENDS.get(status) ?? { outcome: "failed" };
}

/** Returns how a leg ended, by Asterisk's DIALSTATUS; undefined for an unknown status. */
export function endOfDialStatus(status: string): LegEnd | undefined {
  return DIAL_ENDS.get(status);
}

/** The end of a leg whose caller hung up before it was answered. */
export const ABANDONED_END: LegEnd = { outcome: "missed", isAbandoned: true };

const SIP_ENDS: ReadonlyMap<number, LegEnd> = new Map([
  [486, { outcome: "busy" }],
  [600, { outcome: "busy" }],
  [603, { outcome: "busy" }],
  [408, { outcome: "missed" }],
  [480, { outcome: "missed" }],
  [487, ABANDONED_END],
]);

const DIAL_ENDS: ReadonlyMap<string, LegEnd> = new Map([
  ["ANSWER", { outcome: "answered" }],
  ["BUSY", { outcome: "busy" }],
  ["NOANSWER", { outcome: "missed" }],
  ["CANCEL", ABANDONED_END],
  ["DONTCALL", { outcome: "missed" }],
  ["CHANUNAVAIL", { outcome: "failed" }],
  ["CONGESTION", { outcome: "failed" }],
  ["INVALIDARGS", { outcome: "failed" }],
]);
