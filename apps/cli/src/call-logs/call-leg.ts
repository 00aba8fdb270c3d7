import type { CallOutcome } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { ImportRow } from "../import/import-row.js";
import { CALL_ORIGIN_KEYS, type CallOriginKey } from "./call-log-format.js";

/** The original number, source, medium and property of a call, as its log states them. Facts that the log does not state are absent. */
export type CallOrigin = Readonly<Partial<Record<CallOriginKey, string>>>;

/** A row of a call log: one attempt to connect a call. Times are in milliseconds since 1970. */
export interface CallLeg {
  readonly row: ImportRow;
  /** Rows that share a key belong to one call. Empty if the row is a call by itself. */
  readonly keys: readonly string[];
  /** Empty if the log has no call ids. */
  readonly callId: string;
  /** Whether the leg goes to the business. Only such legs show whether the business answered. */
  readonly isDialed: boolean;
  /**
   * Whether the log links the legs of a call by their ids. In such a log, a leg belongs to the caller only if it has the call id of the first leg.
   */
  readonly isLinked: boolean;
  /** Whether the ids in the row show that it is the caller's leg: the row names another row, or the call has the row's own id. */
  readonly hasCallerLegIds: boolean;
  /** The dialed number as the log writes it; empty if the log has none. */
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
  /** Used only for calls from the time before Calltrack, because Calltrack itself knows the origin of later calls. */
  readonly origin: CallOrigin;
  /** The reason why the row cannot be imported; undefined if it can be. */
  readonly problem: string | undefined;
  /** The reason why the call is skipped, such as `outbound call`; undefined if the call is not skipped. */
  readonly skipReason: string | undefined;
}

/** Omits keys whose text is empty. */
export function createCallOrigin(textOf: (key: CallOriginKey) => string): CallOrigin {
  return Object.fromEntries(CALL_ORIGIN_KEYS.map((key) => [key, textOf(key)]).filter(([, text]) => text !== ""));
}
