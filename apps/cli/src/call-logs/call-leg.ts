import type { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ImportRow } from "../import/import-row.js";
import { ORIGIN_KEYS, type OriginKey } from "./call-log-format.js";

/** Where a call came from, according to its log. Facts that the log does not state are absent. */
export type CallOrigin = Readonly<Partial<Record<OriginKey, string>>>;

/** A row of a call log: one attempt to connect a call. Times are in milliseconds since 1970. */
export interface CallLeg {
  readonly row: ImportRow;
  /** Rows that share a key belong to one call. Empty if the row is a call by itself. */
  readonly keys: readonly string[];
  /** Empty if the log has no ids. */
  readonly callId: string;
  /** Whether the leg goes to the business. Only such legs show whether the business answered. */
  readonly isDialed: boolean;
  /** Whether the leg goes to the business if a leg with another id began before it. */
  readonly isLinked: boolean;
  /** As written in the log. Empty if the log has none. */
  readonly trackingNumber: string;
  readonly callerNumber: string;
  readonly startedAt: number | undefined;
  readonly answeredAt: number | undefined;
  /** Undefined if the leg has not ended. */
  readonly endedAt: number | undefined;
  /** Whether the phone system itself answered, which does not count as an answer by the business. */
  readonly isPickedUp: boolean;
  readonly outcome: CallOutcome;
  readonly recordingUrl: string | undefined;
  /** Used only for calls from the time before Calltrack: for later calls, Calltrack knows the origin. */
  readonly origin: CallOrigin;
  /** Why the row cannot be imported; undefined if it can. */
  readonly problem: string | undefined;
  /** Why the call is not imported; undefined if it is. */
  readonly skipReason: string | undefined;
}

/** Returns the facts that are not empty. */
export function originOf(textOf: (key: OriginKey) => string): CallOrigin {
  return Object.fromEntries(ORIGIN_KEYS.map((key) => [key, textOf(key)]).filter(([, text]) => text !== ""));
}
