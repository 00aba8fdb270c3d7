import type { CallEvidence, EventType } from "@calltrack/domain";
import { type Expression, type RawBuilder, sql } from "kysely";
import { clockNowExpression, clockNowSubqueryExpression } from "../../clock/clock.js";
import { buildEventCte } from "../../database/event-cte.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { buildNextTimeExpression } from "../../database/update-time.js";
import { buildAttributionQuery } from "./call-attribution.js";
import { CALL_COLUMNS, type CallRow } from "./call-row.js";
import { buildHistoryTimeCondition } from "./history-time.js";

/** The columns that the insert statement computes. A call from `ImportCallHistory` states some of these columns itself. */
type AttributedColumns = Pick<
  CallRow,
  | "original_number"
  | "property_token"
  | "source"
  | "medium"
  | "tracker_status"
  | "is_first_call"
  | "is_prompted"
  | "is_recorded"
>;

type HolderColumns = Pick<CallRow, "pool_id" | "call_tracker_id">;

/** A call to insert, without the columns that the statement computes. It is sent to the database as JSON. */
export interface CallToInsert
  extends Omit<
    CallRow,
    | "id"
    | keyof HolderColumns
    | keyof AttributedColumns
    | "is_imported"
    | "recording_expires_at"
    | "created_at"
    | "updated_at"
  > {
  /** The index of the call in its batch. */
  readonly place: number;
  /** The id of a call that a phone system reported by webhooks. Undefined for any other call: the statement generates its id. */
  readonly id: string | undefined;
  readonly evidence: CallEvidence | null;
  /** Undefined, like `was_recorded`, to use the pool's setting. */
  readonly was_prompted: boolean | undefined;
  readonly was_recorded: boolean | undefined;
  readonly caller_key: string | null;
  readonly is_start_sent: boolean;
  /** The pool that held the number. Undefined, like `call_tracker_id`, if the statement must find the holder. */
  readonly pool_id: string | undefined;
  readonly call_tracker_id: string | undefined;
  /** The only account that may hold the number; undefined if any account may. */
  readonly own_account_id: number | undefined;
  /** Undefined, like `property_token`, `source` and `medium`, unless the call is from `ImportCallHistory`. */
  readonly original_number: string | undefined;
  readonly property_token: string | undefined;
  readonly source: string | undefined;
  readonly medium: string | undefined;
}

type GivenCall = Omit<CallToInsert, keyof HolderColumns> & HolderColumns & { readonly account_id: number };

type FreshCall = Omit<GivenCall, keyof AttributedColumns> & AttributedColumns & Pick<CallRow, "is_imported">;

/** A new or existing call, with the columns that identify a repeated request. */
export interface RecordedCallRow extends CallRow {
  readonly account_id: number;
  readonly account_token: string;
  readonly caller_key: string | null;
  readonly is_start_sent: boolean;
  readonly is_new: boolean;
}

/** The SQL expressions by which a statement refers to the accounts of its calls. */
interface AccountReferences {
  /** The right operand of a condition `account_id = …` that all calls of the statement must meet. */
  readonly all: Expression<number>;
  /** Returns the account id of a row in a CTE. */
  of(row: "given" | "fresh" | "recorded" | "changed"): Expression<number>;
}

const RECORDED_COLUMNS = ["account_id", ...CALL_COLUMNS, "caller_key", "is_start_sent"] as const;

const UNGIVEN_COLUMNS = ["account_id", "id", "recording_expires_at", "created_at", "updated_at"] as const;

const INSERTED_COLUMNS = [...RECORDED_COLUMNS, "evidence" as const].filter(
  (column): column is Exclude<typeof column, (typeof UNGIVEN_COLUMNS)[number]> =>
    !(UNGIVEN_COLUMNS as readonly string[]).includes(column),
);

/** The columns of a `CallToInsert`, as declared to `json_to_recordset`. */
const GIVEN_COLUMNS =
  sql.raw(`place integer, id uuid, call_id text, tracking_number text, caller_number text, caller_key uuid,
  started_at timestamptz(3), is_start_sent boolean, answered_at timestamptz(3), ended_at timestamptz(3), duration_seconds integer,
  outcome text, outcome_detail text, recording_url text, phone_system_id uuid, evidence jsonb, outcome_basis text, reject_reason text, caller_attestation text, answered_by text,
  was_prompted boolean, was_recorded boolean`);

/**
 * Inserts calls for any accounts, each for the call tracker that held the number when the call started; see `buildCreateCalls`. Returns no row for a
 * call if no call tracker held its number, or if that call tracker belongs to another account than `own_account_id`. `calls` is a JSON array of
 * `CallToInsert`.
 */
export const createCallsStatement = prepareStatement<{ calls: string }, RecordedCallRow>((db, parameter) =>
  buildCreateCalls(db, unassignedCalls(parameter("calls")), {
    all: sql`any(array(select account_id from demotable))`,
    of: (row) => sql.ref(`${row}.account_id`),
  }),
);

/** Inserts calls for one account; see `buildCreateCalls`. `calls` is a JSON array of `CallToInsert`. */
export const createCallsOfAccountStatement = prepareStatement<{ accountId: number; calls: string }, RecordedCallRow>(
  (db, parameter) => {
    const accountId = sql<number>`${parameter("accountId")}::integer`;
    return buildCreateCalls(db, heldCalls(accountId, parameter("calls")), { all: accountId, of: () => accountId });
  },
);

/** Inserts an account's calls from `ImportCallHistory`; see `buildCreateCalls`. `calls` is a JSON array of `CallToInsert`. */
export const createHistoricCallsStatement = prepareStatement<{ accountId: number; calls: string }, RecordedCallRow>(
  (db, parameter) => {
    const accountId = sql<number>`${parameter("accountId")}::integer`;
    const accounts: AccountReferences = { all: accountId, of: () => accountId };
    return buildCreateCalls(db, pastCalls(accountId, parameter("calls")), accounts, statedAttribution);
  },
);

/**
 * Inserts the given calls unless they exist, and returns new and existing calls. Fails if a concurrent transaction inserts the same call: with `on
 * conflict`, the statement would take a tenth longer. Sets `is_first_call` on a caller's first call, and clears it on an existing call from the same
 * caller that started later.
 *
 * A single statement takes one round trip for a batch, and all its CTEs see one snapshot. `known` finds existing calls, and `fresh` attributes the
 * others. `demoted` clears `is_first_call` on the later calls in `demotable` before `inserted` sets it.
 *
 * The plan must probe indexes even on a new database without statistics; otherwise, an import would take several times as long. Subqueries with a
 * limit force an index lookup for each row. Ordered ranges that contain a single value allow only the index on that column.
 *
 * @param given the calls. Calls that phone systems reported have distinct ids. Other calls have distinct `call_id`s.
 * @param attribution builds the query for the attribution columns that are missing in `given`.
 */
function buildCreateCalls(
  db: QueryBuilder,
  given: RawBuilder<GivenCall>,
  accounts: AccountReferences,
  attribution: (accounts: AccountReferences) => RawBuilder<unknown> = trackedAttribution,
) {
  return db
    .with("given", () => given)
    .with("known", () => knownCalls(accounts))
    .with("fresh", () => freshCalls(accounts, attribution(accounts)))
    .with("demotable", () => demotableCalls(accounts))
    .with("demoted", (cte) =>
      cte
        .updateTable("calls as call")
        .set({ is_first_call: false, updated_at: buildNextTimeExpression(clockNowExpression, sql`call.updated_at`) })
        .where("call.account_id", "=", accounts.all)
        .where(sql<boolean>`call.id = any(array(select id from demotable)) and (select count(*) from demotable) > 0`)
        // `coalesce` prevents PostgreSQL from using the partial index on first calls, so the primary key is used.
        .where(sql<boolean>`coalesce(call.is_first_call and call.caller_key is not null, false)`)
        .returning(["call.account_id", "call.id"]),
    )
    .with("inserted", (cte) =>
      cte
        .insertInto("calls")
        .columns(["account_id", "id", ...INSERTED_COLUMNS, "created_at", "updated_at"])
        .expression((from) =>
          from
            .selectFrom("fresh")
            .select(sql<number>`${accounts.of("fresh")}`.as("account_id"))
            .select(sql<string>`coalesce(fresh.id, uuid_v7())`.as("id"))
            .select(INSERTED_COLUMNS)
            // The defaults of these columns would read the clock again for each row.
            .select([clockNowSubqueryExpression.as("created_at"), clockNowSubqueryExpression.as("updated_at")])
            // Forces `demoted` to run first: a unique index allows only one first call for each caller.
            .where(sql<boolean>`(select count(*) from demoted) >= 0`)
            // All transactions insert in this order, so that two transactions with the same new callers cannot deadlock.
            .orderBy("account_id")
            .orderBy("caller_key")
            .orderBy("place"),
        )
        .returning(RECORDED_COLUMNS),
    )
    .with("logged", () =>
      buildEventCte({
        type: sql<EventType>`changed.type`,
        accountId: accounts.of("changed"),
        resourceId: sql.ref("changed.id"),
        from: sql`(
          select account_id, id, case outcome when 'in_progress' then 'call.started' else 'call.ended' end as type from inserted
          union all select account_id, id, 'call.updated' from demoted) as changed`,
      }),
    )
    .with("recorded", (cte) =>
      cte
        .selectFrom("known")
        .select(RECORDED_COLUMNS)
        .select(sql<boolean>`false`.as("is_new"))
        .unionAll((from) =>
          from.selectFrom("inserted").select(RECORDED_COLUMNS).select(sql<boolean>`true`.as("is_new")),
        ),
    )
    .selectFrom("recorded")
    .innerJoin("accounts as account", (join) => join.on("account.id", "=", accounts.of("recorded")))
    .select(RECORDED_COLUMNS.map((column) => `recorded.${column}` as const))
    .select(["recorded.is_new", "account.account_token"]);
}

function heldCalls(accountId: Expression<number>, calls: Expression<string>) {
  return sql<GivenCall>`(
    select ${accountId} as account_id, held.*
    from json_to_recordset(${calls}::json) as held (${GIVEN_COLUMNS}, pool_id uuid, call_tracker_id uuid))`;
}

function unassignedCalls(calls: Expression<string>) {
  const startedAt = sql<Date>`case when wanted.is_start_sent then wanted.started_at else 'infinity' end`;
  return sql<GivenCall>`(
    select holder.*, wanted.*
    from json_to_recordset(${calls}::json) as wanted (${GIVEN_COLUMNS}, own_account_id integer)
    cross join lateral (
      select account_id, pool_id, call_tracker_id from tracking_number_holders as holder
      where holder.phone_number = wanted.tracking_number
        and ${buildHistoryTimeCondition(sql.ref("holder.held_from"), startedAt)}
      order by holder.held_from desc, holder.call_tracker_id desc limit 1
    ) as holder
    where coalesce(wanted.own_account_id, holder.account_id) = holder.account_id)`;
}

function knownCalls(accounts: AccountReferences) {
  const columns = sql.join(RECORDED_COLUMNS.map((column) => sql.ref(column)));
  return sql<Omit<RecordedCallRow, "account_token" | "is_new"> & { place: number }>`(
    select given.place, known.* from given
    cross join lateral (
      (select ${columns} from calls
        where account_id = ${accounts.of("given")} and call_id >= given.call_id and call_id <= given.call_id
          and phone_system_id is null and given.id is null
        order by call_id limit 1)
      union all
      (select ${columns} from calls where account_id = ${accounts.of("given")} and id = given.id limit 1)
    ) as known)`;
}

function pastCalls(accountId: Expression<number>, calls: Expression<string>) {
  return sql<GivenCall>`(
    select ${accountId} as account_id, null::uuid as pool_id, null::uuid as call_tracker_id, past.*
    from json_to_recordset(${calls}::json)
      as past (${GIVEN_COLUMNS}, original_number text, property_token text, source text, medium text))`;
}

function freshCalls(accounts: AccountReferences, attribution: RawBuilder<unknown>) {
  return sql<FreshCall>`(
    select given.*, attribution.*,
      case when given.caller_key is not null then
        row_number() over (partition by given.account_id, given.caller_key order by given.started_at, given.place) = 1
        and (select true from calls as earlier where earlier.account_id = ${accounts.of("given")}
          and earlier.caller_key = given.caller_key and earlier.started_at <= given.started_at limit 1) is null
      end as is_first_call
    from given
    cross join lateral (${attribution}) as attribution
    where given.place not in (select place from known))`;
}

/** Attributes a call to the source that held its call tracker. The other columns come from the pool. */
function trackedAttribution(accounts: AccountReferences): RawBuilder<unknown> {
  const accountId = accounts.of("given");
  const attribution = buildAttributionQuery(accountId, sql.ref("given.call_tracker_id"), sql.ref("given.started_at"));
  return sql`
    select pool.original_number, pool.property_token,
      coalesce(given.was_prompted, pool.is_prompted) as is_prompted,
      coalesce(given.was_recorded, pool.is_recorded) as is_recorded,
      attribution.source, attribution.medium, attribution.tracker_status, false as is_imported
    from (
      select pool.property_token, pool.is_prompted, pool.is_recorded,
        (select phone_number from phone_numbers as original
          where original.account_id = ${accountId} and original.id = pool.original_number_id) as original_number
      from pools as pool where pool.account_id = ${accountId} and pool.id = given.pool_id limit 1
    ) as pool
    cross join lateral ${attribution} as attribution`;
}

/**
 * Builds the attribution of calls from `ImportCallHistory`, whose records contain the source. The calls count as not prompted, because the records do
 * not say whether they were.
 */
function statedAttribution(): RawBuilder<unknown> {
  return sql`
    select false as is_prompted, given.recording_url is not null as is_recorded, null::text as tracker_status,
      true as is_imported`;
}

/** Selects existing calls that are no longer the first from their caller, because `fresh` has an earlier call. */
function demotableCalls(accounts: AccountReferences) {
  return sql<{ account_id: number; id: string }>`(
    select later.account_id, later.id from fresh
    cross join lateral (
      select account_id, id from calls
      where account_id = ${accounts.of("fresh")} and caller_key >= fresh.caller_key and caller_key <= fresh.caller_key
        and is_first_call
      order by caller_key limit 1
    ) as later
    where fresh.is_first_call)`;
}
