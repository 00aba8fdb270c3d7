import { type Call, CallOutcome, TrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Selectable } from "kysely";
import { formatEtag } from "../../database/etag.js";
import { storedEnum } from "../../database/stored-enum.js";
import type { CallTable } from "../../database/tables/schema.js";
import { timestampOf } from "../../database/timestamp.js";

/** The columns of a call that the API returns. */
export const CALL_COLUMNS = [
  "id",
  "call_id",
  "tracking_number",
  "caller_number",
  "started_at",
  "answered_at",
  "ended_at",
  "duration_seconds",
  "outcome",
  "recording_url",
  "pool_id",
  "call_tracker_id",
  "original_number",
  "property_token",
  "source",
  "medium",
  "tracker_status",
  "is_first_call",
  "is_prompted",
  "is_recorded",
  "created_at",
  "updated_at",
] as const;

/** The columns of a call that the API returns, as a row. */
export type CallRow = Pick<Selectable<CallTable>, (typeof CALL_COLUMNS)[number]>;

const OUTCOMES = storedEnum(CallOutcome);

const STATUSES = storedEnum(TrackerStatus);

/** Returns the stored name of an outcome. */
export function outcomeNameOf(outcome: CallOutcome): CallRow["outcome"] {
  return CallOutcome[outcome].toLowerCase() as CallRow["outcome"];
}

/** Converts a row to a message. */
export function callOf(accountToken: string, row: CallRow): Call {
  return {
    $typeName: "calltracking.v1.Call",
    id: row.id,
    accountToken,
    callId: row.call_id,
    trackingNumber: row.tracking_number,
    callerNumber: row.caller_number ?? undefined,
    startedAt: timestampOf(row.started_at),
    answeredAt: row.answered_at === null ? undefined : timestampOf(row.answered_at),
    endedAt: row.ended_at === null ? undefined : timestampOf(row.ended_at),
    durationSeconds: row.duration_seconds ?? undefined,
    outcome: OUTCOMES[row.outcome],
    recordingUrl: row.recording_url ?? undefined,
    poolId: row.pool_id,
    callTrackerId: row.call_tracker_id,
    originalNumber: row.original_number,
    propertyToken: row.property_token ?? undefined,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    trackerStatus: STATUSES[row.tracker_status],
    isFirstCall: row.is_first_call ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    createdAt: timestampOf(row.created_at),
    updatedAt: timestampOf(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
