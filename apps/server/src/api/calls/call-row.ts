import { type Call, CallOutcome, OutcomeBasis, TrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { listColumnNames } from "@calltrack/postgres";
import type { Selectable } from "kysely";
import { formatEtag } from "../../database/etag.js";
import { createStoredEnum, getStoredEnumName } from "../../database/stored-enum.js";
import type { CallTable } from "../../database/tables/schema.js";
import { toTimestamp } from "../../database/timestamp.js";

/** The columns of the table `calls` that the API returns, with their types. */
export const CALL_COLUMN_TYPES = {
  id: "text",
  call_id: "text",
  tracking_number: "text",
  caller_number: "text",
  started_at: "time",
  answered_at: "time",
  ended_at: "time",
  duration_seconds: "value",
  outcome: "text",
  outcome_detail: "text",
  recording_url: "text",
  pool_id: "text",
  call_tracker_id: "text",
  original_number: "text",
  property_token: "text",
  source: "text",
  medium: "text",
  tracker_status: "text",
  is_first_call: "value",
  is_prompted: "value",
  is_recorded: "value",
  phone_system_id: "text",
  outcome_basis: "text",
  recording_expires_at: "time",
  reject_reason: "text",
  caller_attestation: "text",
  is_imported: "value",
  answered_by: "text",
  created_at: "time",
  updated_at: "time",
} as const;

export const CALL_COLUMNS = listColumnNames(CALL_COLUMN_TYPES);

export type CallRow = Pick<Selectable<CallTable>, (typeof CALL_COLUMNS)[number]>;

const OUTCOMES = createStoredEnum(CallOutcome);

const STATUSES = createStoredEnum(TrackerStatus);

const BASES = createStoredEnum(OutcomeBasis);

export type OutcomeColumns = Pick<CallRow, "outcome" | "outcome_detail">;

/**
 * Returns the columns that store an outcome. `ABANDONED` and `UNKNOWN` are stored as `missed` with a detail: servers of an earlier version
 * know only `missed`, and do not change the detail.
 */
export function toOutcomeColumns(outcome: CallOutcome): OutcomeColumns {
  const name = getStoredEnumName(CallOutcome, outcome);
  return name === "abandoned" || name === "unknown"
    ? { outcome: "missed", outcome_detail: name }
    : { outcome: name, outcome_detail: null };
}

export function parseOutcomeColumns({ outcome, outcome_detail }: OutcomeColumns): CallOutcome {
  return OUTCOMES[outcome === "missed" ? (outcome_detail ?? outcome) : outcome];
}

/** Returns undefined for an imported call, which has no call tracker. */
export function parseTrackerStatusColumn({
  tracker_status,
}: Pick<CallRow, "tracker_status">): TrackerStatus | undefined {
  return tracker_status === null ? undefined : STATUSES[tracker_status];
}

export function toCallMessage(accountToken: string, row: CallRow): Call {
  return {
    $typeName: "calltracking.v1.Call",
    id: row.id,
    accountToken,
    callId: row.call_id,
    trackingNumber: row.tracking_number,
    callerNumber: row.caller_number ?? undefined,
    startedAt: toTimestamp(row.started_at),
    answeredAt: row.answered_at === null ? undefined : toTimestamp(row.answered_at),
    endedAt: row.ended_at === null ? undefined : toTimestamp(row.ended_at),
    durationSeconds: row.duration_seconds ?? undefined,
    outcome: parseOutcomeColumns(row),
    recordingUrl: row.recording_url ?? undefined,
    poolId: row.pool_id ?? undefined,
    callTrackerId: row.call_tracker_id ?? undefined,
    originalNumber: row.original_number,
    propertyToken: row.property_token ?? undefined,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    trackerStatus: parseTrackerStatusColumn(row),
    isFirstCall: row.is_first_call ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    phoneSystemId: row.phone_system_id ?? undefined,
    outcomeBasis: row.outcome_basis === null ? undefined : BASES[row.outcome_basis],
    recordingExpiresAt: row.recording_expires_at === null ? undefined : toTimestamp(row.recording_expires_at),
    rejectReason: row.reject_reason ?? undefined,
    callerAttestation: row.caller_attestation ?? undefined,
    isImported: row.is_imported,
    answeredBy: row.answered_by ?? undefined,
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
