import type { Parameter } from "@calltrack/postgres";
import { sql } from "kysely";
import { auditCte, UPDATE_CTES } from "../../database/audit-cte.js";
import { type EtagCondition, matchesEtagCondition } from "../../database/etag-condition.js";
import { BEFORE_ALL_IDS } from "../../database/page.js";
import { prepareList, prepareLookup, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { nextTime } from "../../database/update-time.js";
import { clockNow } from "../../pool-management/clock.js";
import { CALL_COLUMNS, type CallRow } from "./call-row.js";

/** A filter and a page of calls. A null filter field matches all calls. */
export interface ListParameters {
  accountId: number;
  from: string;
  /** Returns calls before this start and id. Calls are ordered by start, then by id. */
  beforeStart: string;
  beforeId: string;
  pool: string | null;
  propertyToken: string | null;
  source: string | null;
  medium: string | null;
  outcome: CallRow["outcome"] | null;
  limit: number | null;
}

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
  "recording_url",
] as const;

/** See `findCall`. */
export const findCallStatement = prepareLookup<{ accountId: number; id: string }, CallRow>(
  { accountId: "integer", id: "uuid" },
  (db, parameter) =>
    db
      .selectFrom("calls")
      .select(CALL_COLUMNS)
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("id")),
);

/** See `listCalls`. */
export const listCallsStatement = prepareList<ListParameters, CallRow>((db, parameter) => selectPage(db, parameter));

/** Like `listCallsStatement`, for the calls of one caller. Uses the index on `caller_key`. */
export const listCallsOfCallerStatement = prepareList<ListParameters & { callerKey: string }, CallRow>(
  (db, parameter) => selectPage(db, parameter).where("caller_key", "=", parameter("callerKey")),
);

/** See `updateCall`. */
export const updateCallStatement = prepareStatement<
  EtagCondition & {
    accountId: number;
    id: string;
    updatedAt: string;
    answeredAt: string | null;
    endedAt: string | null;
    durationSeconds: number | null;
    outcome: CallRow["outcome"];
    recordingUrl: string | null;
    origin: string;
  },
  CallRow
>((db, parameter) =>
  db
    .with("before", (cte) =>
      cte
        .selectFrom("calls")
        .select([...AUDITED_COLUMNS, "updated_at"])
        .where("account_id", "=", parameter("accountId"))
        .where("id", "=", parameter("id"))
        .where("updated_at", "=", sql<Date>`${parameter("updatedAt")}::timestamptz`)
        .where(matchesEtagCondition(parameter, sql.ref("updated_at")))
        .forNoKeyUpdate(),
    )
    .with("updated", (cte) =>
      cte
        .updateTable("calls as call")
        .from("before")
        .set({
          answered_at: sql<Date | null>`${parameter("answeredAt")}::timestamptz`,
          ended_at: sql<Date | null>`${parameter("endedAt")}::timestamptz`,
          duration_seconds: sql<number | null>`${parameter("durationSeconds")}::integer`,
          outcome: parameter("outcome"),
          recording_url: parameter("recordingUrl"),
          updated_at: nextTime(clockNow, sql`call.updated_at`),
        })
        .where("call.account_id", "=", parameter("accountId"))
        .whereRef("call.id", "=", "before.id")
        .returning(CALL_COLUMNS.map((column) => `call.${column}` as const)),
    )
    .with("audited", () =>
      auditCte({
        accountId: parameter("accountId"),
        type: "call",
        id: "id",
        columns: AUDITED_COLUMNS,
        ...UPDATE_CTES,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("updated")
    .select(CALL_COLUMNS),
);

/** See `forgetCaller`. */
export const forgetCallerStatement = prepareStatement<
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
        .set({ caller_number: null, caller_key: null, updated_at: nextTime(clockNow, sql`call.updated_at`) })
        .where("call.account_id", "=", parameter("accountId"))
        .whereRef("call.id", "=", "before.id")
        .returning(["call.id", "call.call_id", sql<boolean>`false`.as("has_caller")]),
    )
    .with("audited", () =>
      auditCte({
        accountId: parameter("accountId"),
        type: "call",
        id: "id",
        columns: ["id", "call_id", "has_caller"],
        ...UPDATE_CTES,
        isOfMany: true,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("updated")
    .select("id"),
);

/** Lists accounts by id, with whether they have calls that started before a moment. */
export const checkExpiredCallsStatement = prepareStatement<
  { after: number; before: string; limit: number },
  { id: number; has_expired: boolean }
>((db, parameter) =>
  db
    .selectFrom("accounts")
    .select(({ exists, selectFrom }) => [
      "accounts.id",
      exists(
        selectFrom("calls as call")
          .select("call.id")
          .whereRef("call.account_id", "=", "accounts.id")
          .where("call.started_at", "<", sql<Date>`${parameter("before")}::timestamptz`),
      )
        .$castTo<boolean>()
        .as("has_expired"),
    ])
    .where("accounts.id", ">", parameter("after"))
    .orderBy("accounts.id")
    .limit(sql<number>`${parameter("limit")}`),
);

/** Deletes calls of an account that started before a moment, oldest first. */
export const deleteExpiredCallsStatement = prepareStatement<
  { accountId: number; before: string; limit: number },
  { id: string }
>((db, parameter) =>
  db
    .with("expired", (cte) =>
      cte
        .selectFrom("calls")
        .select("id")
        .where("account_id", "=", parameter("accountId"))
        .where("started_at", "<", sql<Date>`${parameter("before")}::timestamptz`)
        .orderBy("started_at")
        .orderBy("id")
        .limit(sql<number>`${parameter("limit")}`),
    )
    .deleteFrom("calls as call")
    .using("expired")
    .where("call.account_id", "=", parameter("accountId"))
    .whereRef("call.id", "=", "expired.id")
    .returning("call.id"),
);

/**
 * Selects a page of the calls that match the filter. It compares rows and has all filters in one condition: otherwise PostgreSQL expects
 * few calls, and reads and sorts all of them instead of stopping when the page is full.
 */
function selectPage(db: QueryBuilder, parameter: Parameter<ListParameters>) {
  const isAny = (name: "pool" | "propertyToken" | "source" | "medium" | "outcome", column: string, type: string) =>
    sql`(${sql.ref(column)} = ${parameter(name)}::${sql.raw(type)} or ${parameter(name)}::${sql.raw(type)} is null)`;
  const matches = [
    isAny("pool", "pool_id", "uuid"),
    isAny("propertyToken", "property_token", "text"),
    isAny("source", "source", "text"),
    isAny("medium", "medium", "text"),
    isAny("outcome", "outcome", "text"),
  ];
  return db
    .selectFrom("calls")
    .select(CALL_COLUMNS)
    .where("account_id", "=", parameter("accountId"))
    .where(sql<boolean>`(started_at, id) >= (${parameter("from")}::timestamptz, ${sql.lit(BEFORE_ALL_IDS)}::uuid)`)
    .where(sql<boolean>`(started_at, id) < (${parameter("beforeStart")}::timestamptz, ${parameter("beforeId")}::uuid)`)
    .where(sql<boolean>`coalesce(${sql.join(matches, sql` and `)}, false)`)
    .orderBy("started_at", "desc")
    .orderBy("id", "desc")
    .limit(sql<number>`${parameter("limit")}`);
}
