import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  type CallProgress,
  computeCallDurationSeconds,
  DomainError,
  type EventType,
  parseUuid,
} from "@calltrack/domain";
import type { Call } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import type { ResolvedAccount } from "../../access/account-directory.js";
import { clockNowExpression } from "../../clock/clock.js";
import { buildAuditCte, UPDATE_CTE_NAMES } from "../../database/audit-cte.js";
import { buildAuditedUpdate } from "../../database/audited-update.js";
import { deleteInChunks } from "../../database/delete-in-chunks.js";
import { buildEtagConditionSql, type EtagCondition } from "../../database/etag-condition.js";
import { buildEventCte } from "../../database/event-cte.js";
import { ABSENT_ACCOUNT_ID } from "../../database/idempotency/idempotency-key.js";
import { prepareLookup, prepareStatement } from "../../database/prepared-statement.js";
import type { ChangeOrigin } from "../../database/tables/schema.js";
import { buildNextTimeExpression } from "../../database/update-time.js";
import { CALL_COLUMNS, type CallRow, type OutcomeColumns, toCallMessage, toOutcomeColumns } from "./call-row.js";

/** The columns of a call in the audit log. None of them identifies the caller. */
const AUDITED_COLUMNS = [
  "id",
  "call_id",
  "tracking_number",
  "started_at",
  "answered_at",
  "ended_at",
  "duration_seconds",
  "outcome",
  "outcome_detail",
  "recording_url",
] as const;

/** How many calls one statement changes. Short statements let other requests run in between. */
const CHUNK = 1000;

/** Finds a call of an account by its id. Throws DomainError `CALL_NOT_FOUND`. */
export async function requireCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  id: string,
): Promise<Call> {
  const uuid = parseUuid(id);
  const [row] = uuid === undefined ? [] : await findCallStatement(db, { accountId, id: uuid });
  if (row === undefined) throw new DomainError("CALL_NOT_FOUND", { id });
  return toCallMessage(accountToken, row);
}

const findCallStatement = prepareLookup<{ accountId: number; id: string }, CallRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("calls")
      .select(CALL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

interface ChangedCall extends CallProgress {
  readonly recordingUrl: string | undefined;
  /**
   * Whether the request has times or an outcome. If so, `outcome_basis` becomes null, so that later reports of the phone system do not replace the
   * outcome.
   */
  readonly isProgressGiven: boolean;
}

/** Updates a call. Returns undefined if the call was changed or deleted since it was read, or if the etag condition fails. */
export async function updateCall(
  db: Executor,
  { accountId, accountToken }: ResolvedAccount,
  { id, updatedAt }: Pick<Call, "id" | "updatedAt">,
  { answeredAt, endedAt, outcome, recordingUrl, isProgressGiven }: ChangedCall,
  condition: EtagCondition,
  origin: ChangeOrigin,
): Promise<Call | undefined> {
  const [row] = await updateCallStatement(db, {
    ...{ accountId, id, updatedAt: timestampDate(updatedAt as NonNullable<typeof updatedAt>) },
    answered_at: answeredAt ?? null,
    ended_at: endedAt ?? null,
    duration_seconds: computeCallDurationSeconds({ answeredAt, endedAt, outcome }) ?? null,
    ...toOutcomeColumns(outcome),
    recording_url: recordingUrl ?? null,
    isProgressGiven,
    ...condition,
    origin: JSON.stringify(origin),
  });
  return row && toCallMessage(accountToken, row);
}

const updateCallStatement = prepareStatement<
  EtagCondition &
    OutcomeColumns &
    Pick<CallRow, "id" | "answered_at" | "ended_at" | "duration_seconds" | "recording_url"> & {
      accountId: number;
      updatedAt: Date;
      isProgressGiven: boolean;
      origin: string;
    },
  CallRow
>((db, parameter) =>
  buildAuditedUpdate(db, "calls", {
    type: "call",
    columns: AUDITED_COLUMNS,
    key: { account_id: parameter("accountId"), id: parameter("id") },
    condition: sql<boolean>`updated_at = ${parameter("updatedAt")} and ${buildEtagConditionSql(parameter)}`,
    set: {
      answered_at: parameter("answered_at"),
      ended_at: parameter("ended_at"),
      // If the request has neither times nor an outcome, the duration that the phone system reported stays.
      duration_seconds: sql<CallRow["duration_seconds"]>`
        case when ${parameter("isProgressGiven")}::boolean then ${parameter("duration_seconds")}::integer else duration_seconds end`,
      outcome: parameter("outcome"),
      outcome_detail: parameter("outcome_detail"),
      // A call in progress keeps its `answered_by`, because it may have been answered.
      answered_by: sql<CallRow["answered_by"]>`
        case when ${parameter("outcome")}::text in ('answered', 'in_progress') then answered_by end`,
      outcome_basis: sql<CallRow["outcome_basis"]>`
        case when ${parameter("isProgressGiven")}::boolean then null else outcome_basis end`,
      recording_url: parameter("recording_url"),
      // The time concerns only the link from the phone system.
      recording_expires_at: sql<CallRow["recording_expires_at"]>`
        case when recording_url is not distinct from ${parameter("recording_url")}::text then recording_expires_at end`,
      updated_at: buildNextTimeExpression(clockNowExpression, sql`updated_at`),
    },
    returning: CALL_COLUMNS,
    event: {
      type: sql<EventType>`case when before.outcome = 'in_progress' and updated.outcome <> 'in_progress' then 'call.ended'
        when before.answered_at is null and updated.answered_at is not null then 'call.answered' else 'call.updated' end`,
      resourceId: sql.ref("updated.id"),
    },
    accountId: parameter("accountId"),
    origin: parameter("origin"),
  })
    .selectFrom("updated")
    .select(CALL_COLUMNS),
);

/**
 * Erases a caller's number and key from an account's calls. Also erases the responses of webhook endpoints to events about these calls. Each
 * transaction changes at most `CHUNK` calls. Returns the number of changed calls.
 */
export function forgetCaller(
  db: Executor,
  { accountId }: ResolvedAccount,
  callerKey: string,
  origin: ChangeOrigin,
): Promise<number> {
  const parameters = { accountId, callerKey, origin: JSON.stringify(origin) };
  return deleteInChunks(CHUNK, (limit) =>
    db.transaction(async (transaction) => {
      const calls = await forgetCallerStatement(transaction, { ...parameters, limit });
      const callIds = calls.map(({ id }) => id);
      // A separate statement also sees responses that were stored while the first statement waited for locks on the calls.
      for (const owner of callIds.length === 0 ? [] : [accountId, ABSENT_ACCOUNT_ID]) {
        await eraseAnswersStatement(transaction, { accountId: owner, callIds });
      }
      return calls;
    }),
  );
}

/** Erases stored responses of webhook endpoints, because they may repeat the caller's number. */
const eraseAnswersStatement = prepareStatement<{ accountId: number; callIds: readonly string[] }, { position: string }>(
  (db, parameter) =>
    db
      .updateTable("webhook_deliveries")
      .set({ response_body: null })
      .where("account_id", "=", parameter("accountId"))
      .where("call_id", "=", sql<string>`any(${parameter("callIds")}::uuid[])`)
      .where("response_body", "is not", null)
      .returning("position"),
);

const forgetCallerStatement = prepareStatement<
  { accountId: number; callerKey: string; limit: number; origin: string },
  { id: string }
>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte
        .selectFrom("calls")
        .select(["id", "call_id", sql<boolean>`true`.as("has_caller")])
        .where("account_id", "=", parameter("accountId"))
        .where("caller_key", "=", parameter("callerKey"))
        .orderBy("started_at")
        .orderBy("id")
        .limit(sql<number>`${parameter("limit")}`)
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("calls as call")
        .from("before")
        .set({
          caller_number: null,
          caller_key: null,
          updated_at: buildNextTimeExpression(clockNowExpression, sql`call.updated_at`),
        })
        .where("call.account_id", "=", parameter("accountId"))
        .whereRef("call.id", "=", "before.id")
        .returning(["call.id", "call.call_id", sql<boolean>`false`.as("has_caller")]),
    )
    .with("audited", () =>
      buildAuditCte({
        ...UPDATE_CTE_NAMES,
        type: "call",
        accountId: parameter("accountId"),
        columns: ["id", "call_id", "has_caller"],
        isOfMany: true,
        origin: parameter("origin"),
      }),
    )
    .with("logged", () =>
      buildEventCte({
        type: "call.caller_forgotten",
        accountId: parameter("accountId"),
        resourceId: sql.ref("updated.id"),
        from: sql.table("updated"),
      }),
    )
    .selectFrom("updated")
    .select("id"),
);
