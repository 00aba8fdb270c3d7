import type { CallEvidence, EventType } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { clockNowExpression, clockNowSubqueryExpression } from "../../clock/clock.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import { buildNextTimeExpression } from "../../database/update-time.js";
import type { CallRow } from "./call-row.js";

/** The columns of a call that webhooks from its phone system can change. */
export type ReportedCallColumns = Pick<
  CallRow,
  | "started_at"
  | "answered_at"
  | "ended_at"
  | "duration_seconds"
  | "outcome"
  | "outcome_detail"
  | "outcome_basis"
  | "recording_url"
  | "recording_expires_at"
  | "reject_reason"
  | "caller_attestation"
  | "answered_by"
  | "is_prompted"
  | "is_recorded"
> & { readonly evidence: CallEvidence };

/** A call that a phone system reported by webhooks. */
export type CallWithEvidence = ReportedCallColumns & Pick<CallRow, "tracker_status" | "updated_at">;

export interface CallKey {
  readonly accountId: number;
  readonly id: string;
}

/** The maximum duration of a call. A call is closed if its end is not reported within this time after its start. */
export const MAX_CALL_MINUTES = 250;

/** Finds a call that a phone system reported by webhooks. Returns undefined for any other call, such as one from `CreateCall`. */
export async function findCallWithEvidence(
  db: Executor,
  { accountId, id }: CallKey,
): Promise<CallWithEvidence | undefined> {
  const [row] = await findCallWithEvidenceStatement(db, { accountId, id });
  return row;
}

const findCallWithEvidenceStatement = prepareLookup<CallKey, CallWithEvidence>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("calls")
      .select(["started_at", "answered_at", "ended_at", "duration_seconds"])
      .select(["outcome", "outcome_detail", "outcome_basis"])
      .select([
        "recording_url",
        "recording_expires_at",
        "reject_reason",
        "caller_attestation",
        "answered_by",
        "is_prompted",
        "is_recorded",
      ])
      .select(["tracker_status", "updated_at"])
      .select(sql<CallEvidence>`evidence`.as("evidence"))
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id"))
      .where("phone_system_id", "is not", null),
);

/**
 * Replaces the reported columns of a call. Returns false, and replaces nothing, if the call has changed since it was read.
 *
 * @param eventType the type of the event about the change.
 */
export async function replaceReportedCallColumns(
  db: Executor,
  { accountId, id }: CallKey,
  updatedAt: Date,
  state: ReportedCallColumns,
  eventType: EventType,
): Promise<boolean> {
  const evidence = JSON.stringify(state.evidence);
  const rows = await replaceReportedColumnsStatement(db, { ...state, accountId, id, updatedAt, evidence, eventType });
  return rows.length > 0;
}

const replaceReportedColumnsStatement = prepareStatement<
  CallKey & Omit<ReportedCallColumns, "evidence"> & { updatedAt: Date; evidence: string; eventType: EventType },
  { id: string }
>((db, parameter) =>
  db
    .with("updated", (cte) =>
      cte
        .updateTable("calls")
        .set({
          started_at: parameter("started_at"),
          answered_at: parameter("answered_at"),
          ended_at: parameter("ended_at"),
          duration_seconds: parameter("duration_seconds"),
          outcome: parameter("outcome"),
          outcome_detail: parameter("outcome_detail"),
          outcome_basis: parameter("outcome_basis"),
          recording_url: parameter("recording_url"),
          recording_expires_at: parameter("recording_expires_at"),
          reject_reason: parameter("reject_reason"),
          caller_attestation: parameter("caller_attestation"),
          answered_by: parameter("answered_by"),
          is_prompted: parameter("is_prompted"),
          is_recorded: parameter("is_recorded"),
          evidence: parameter("evidence"),
          updated_at: buildNextTimeExpression(clockNowExpression, sql`updated_at`),
        })
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", parameter("id"))
        .where("updated_at", "=", parameter("updatedAt"))
        .returning("id"),
    )
    .with("logged", () =>
      buildEventCte({
        type: sql<EventType>`${parameter("eventType")}::text`,
        accountId: parameter("accountId"),
        resourceId: sql.ref("updated.id"),
        from: sql.table("updated"),
      }),
    )
    .selectFrom("updated")
    .select("id"),
);

const MAX_AGE = sql`${sql.lit(MAX_CALL_MINUTES)} * interval '1 minute'`;

export interface RunningCallCount {
  readonly phone_system_id: string;
  readonly calls: number;
}

/** Counts the calls in progress on each phone system, without overdue calls. */
export function countRunningCalls(db: Executor): Promise<RunningCallCount[]> {
  return countRunningCallsStatement(db, {});
}

const countRunningCallsStatement = prepareStatement<object, RunningCallCount>((db) =>
  db
    .selectFrom("calls")
    .select([sql<string>`phone_system_id`.as("phone_system_id"), sql<number>`count(*)::float8`.as("calls")])
    .where("phone_system_id", "is not", null)
    .where(sql<boolean>`outcome = 'in_progress'`)
    .where("started_at", ">=", sql<Date>`${clockNowSubqueryExpression} - ${MAX_AGE}`)
    .groupBy("phone_system_id"),
);

/** A call whose end was not reported within `MAX_CALL_MINUTES`. */
export interface OverdueCall {
  readonly account_id: number;
  readonly id: string;
  readonly started_at: Date;
}

/**
 * Lists overdue calls that started after a moment, oldest first. Includes calls that a server of an earlier version closed with an `ended_at`
 * that no phone system reported.
 */
export function listOverdueCalls(db: Executor, after: Date, limit: number): Promise<OverdueCall[]> {
  return listOverdueCallsStatement(db, { after, limit });
}

const listOverdueCallsStatement = prepareStatement<{ after: Date; limit: number }, OverdueCall>((db, parameter) =>
  db
    .selectFrom("calls")
    .select(["account_id", "id", "started_at"])
    .where("phone_system_id", "is not", null)
    .where(sql<boolean>`(outcome = 'in_progress' or outcome_basis = 'timer' and ended_at is not null)`)
    .where("started_at", ">", parameter("after"))
    .where("started_at", "<", sql<Date>`${clockNowSubqueryExpression} - ${MAX_AGE}`)
    .orderBy("started_at")
    .limit(sql<number>`${parameter("limit")}`),
);
