/** The outcome of a leg that is over. */
export type LegOutcome = "answered" | "missed" | "busy" | "failed";

/** How a leg ended. */
export interface LegEnd {
  readonly outcome: LegOutcome;
  /** Whether the caller hung up first. Then the outcome is `missed`, which earlier releases know. */
  readonly isAbandoned?: true;
}

/** Returns how a call ended by the final status of its last leg (RFC 3261); undefined if the status is not final. */
export function endOfSipStatus(status: number): LegEnd | undefined {
  if (!(status >= 200 && status < 700)) return undefined;
  if (status < 300) return { outcome: "answered" };
  return SIP_ENDS.get(status) ?? { outcome: "failed" };
}

/** Returns how a call ended by Asterisk's DIALSTATUS; undefined for an unknown one. */
export function endOfDialStatus(status: string): LegEnd | undefined {
  return DIAL_ENDS.get(status);
}

/** The caller hung up first. */
export const ABANDONED: LegEnd = { outcome: "missed", isAbandoned: true };

const SIP_ENDS: ReadonlyMap<number, LegEnd> = new Map([
  [486, { outcome: "busy" }],
  [600, { outcome: "busy" }],
  [603, { outcome: "busy" }],
  [408, { outcome: "missed" }],
  [480, { outcome: "missed" }],
  [487, ABANDONED],
]);

const DIAL_ENDS: ReadonlyMap<string, LegEnd> = new Map([
  ["ANSWER", { outcome: "answered" }],
  ["BUSY", { outcome: "busy" }],
  ["NOANSWER", { outcome: "missed" }],
  ["CANCEL", ABANDONED],
  ["DONTCALL", { outcome: "missed" }],
  ["CHANUNAVAIL", { outcome: "failed" }],
  ["CONGESTION", { outcome: "failed" }],
  ["INVALIDARGS", { outcome: "failed" }],
]);
