import { chooseShownNumbers, DomainError, type PrincipalAccount, type ResolveNumbersQuery } from "@calltrack/domain";
import type { CallResolution, ResolvedNumber } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { type InferResult, sql } from "kysely";
import { prepareLookup, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { toTimestamp } from "../../database/timestamp.js";
import { buildAttributionQuery } from "../calls/call-attribution.js";
import { findNumberHolders, type NumberHolder } from "../calls/number-holders.js";
import { findNumberWithHolderStatement, parseLastHolder } from "../calls/tracked-number.js";

/**
 * Returns the number to show to a visitor for each original number on a property of an account, in the order in which the pools were
 * created. Returns no numbers if the account is disabled.
 */
export async function resolveNumbers(
  db: Executor,
  accountId: number,
  { propertyToken, source, medium }: Omit<ResolveNumbersQuery, "account">,
): Promise<ResolvedNumber[]> {
  // No source has an empty name, so the empty string matches no source.
  const named = { source: source ?? "", medium: medium ?? "" };
  const rows = await resolveNumbersStatement(db, { accountId, propertyToken, ...named });
  const numbers = rows.map((row) => ({
    ...{ poolId: row.pool_id, originalNumber: row.original_number, number: row.number },
    isManual: row.pool_type === "manual",
  }));
  return chooseShownNumbers(numbers).map(({ isManual: _, ...number }) => ({
    $typeName: "calltracking.v1.ResolvedNumber",
    ...number,
  }));
}

const resolveNumbersStatement = prepareStatement<
  { accountId: number; propertyToken: string; source: string; medium: string },
  { pool_id: string; pool_type: string; original_number: string; number: string }
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("accounts as account", "account.id", "pool.account_id")
    .innerJoin("phone_numbers as number", (join) =>
      join.onRef("number.account_id", "=", "pool.account_id").onRef("number.id", "=", "pool.original_number_id"),
    )
    .select(["pool.id as pool_id", "pool.pool_type", "number.phone_number as original_number"])
    .select(({ fn, selectFrom, ref }) => {
      // A subquery forces one index probe per pool. In a join, the planner might use an index on the source alone, which many pools share.
      const active = selectFrom("call_trackers")
        .select("tracking_number")
        .where("call_trackers.account_id", "=", parameter("accountId"))
        .whereRef("call_trackers.pool_id", "=", "pool.id")
        .where("status", "=", sql.lit("active"));
      const held = active.where("source", "=", parameter("source")).where("medium", "=", parameter("medium"));
      const manual = active.where("source", "is", null).orderBy("id").limit(sql.lit(1));
      return fn.coalesce(held, manual, ref("number.phone_number")).as("number");
    })
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.property_token", "=", parameter("propertyToken"))
    .where("pool.is_dni", "=", sql.lit(true))
    .where("account.is_active", "=", sql.lit(true))
    .orderBy("pool.id"),
);

/** Returns the destination and source of a call that starts now. Returns undefined if no call tracker ever held the number. */
export async function resolveCall(db: Executor, trackingNumber: string): Promise<CallResolution | undefined> {
  const [number] = await findNumberWithHolderStatement(db, { phoneNumber: trackingNumber });
  if (number === undefined) return undefined;
  const holder = parseLastHolder(number);
  if (holder === undefined) return undefined;
  const [row] = await resolveCallStatement(db, holder);
  return row && callResolutionOf(trackingNumber, holder, row, row.held_until ?? number.returned_at);
}

/** The PostgreSQL types of the parameters of `selectCallDestination`. */
export const NUMBER_HOLDER_PARAMETER_TYPES = { accountId: "integer", poolId: "uuid", callTrackerId: "uuid" } as const;

const resolveCallStatement = prepareLookup<NumberHolder, CallDestinationRow>(
  NUMBER_HOLDER_PARAMETER_TYPES,
  selectCallDestination,
);

/**
 * Returns the destination of a call that started at the given time, and the source that had the number at that time.
 *
 * @param own the account that the principal is bound to; undefined if the principal may access all accounts.
 * @throws DomainError `TRACKING_NUMBER_NOT_FOUND`, or `FIELD_INVALID` if the number had no holder at that moment
 */
export async function resolveCallAt(
  db: Executor,
  trackingNumber: string,
  at: Date,
  own: PrincipalAccount | undefined,
): Promise<CallResolution> {
  const [found] = await findNumberHolders(db, [{ trackingNumber, at, own }], "at");
  const holder = found as NumberHolder | DomainError;
  if (holder instanceof DomainError) throw holder;
  const [row] = await resolveCallAtStatement(db, { ...holder, at: at.toISOString() });
  if (row === undefined) throw new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  return callResolutionOf(trackingNumber, holder, row, row.held_until);
}

const resolveCallAtStatement = prepareStatement<NumberHolder & { at: string }, CallDestinationRow>((db, parameter) =>
  selectPool(db, parameter)
    .innerJoinLateral(
      () =>
        buildAttributionQuery(
          parameter("accountId"),
          sql`${parameter("callTrackerId")}::uuid`,
          sql`${parameter("at")}::timestamptz`,
        ).as<"attribution">(sql`attribution`),
      (join) => join.onTrue(),
    )
    .select(["attribution.source", "attribution.medium", "attribution.held_until"]),
);

/** Selects the destination of calls to a call tracker, and the tracker's current source or, failing that, its last source. */
export function selectCallDestination(db: QueryBuilder, parameter: ParameterGetter<NumberHolder>) {
  return (
    selectPool(db, parameter)
      .leftJoin("call_trackers as tracker", (join) =>
        join
          .onRef("tracker.account_id", "=", "pool.account_id")
          .onRef("tracker.pool_id", "=", "pool.id")
          .on("tracker.id", "=", parameter("callTrackerId")),
      )
      .leftJoinLateral(
        (from) =>
          from
            .selectFrom("call_tracker_changes as change")
            .select(["change.source", "change.medium", "change.occurred_at"])
            .where("change.account_id", "=", parameter("accountId"))
            .where("change.call_tracker_id", "=", parameter("callTrackerId"))
            .where("change.source", "is not", null)
            .where("tracker.source", "is", null)
            .orderBy("change.id", "desc")
            .limit(sql.lit(1))
            .as("last"),
        (join) => join.onTrue(),
      )
      // When the call tracker stopped serving its last source; null if it still serves a source.
      .select("last.occurred_at as held_until")
      .select([
        sql<string | null>`coalesce(tracker.source, last.source)`.as("source"),
        sql<string | null>`coalesce(tracker.medium, last.medium)`.as("medium"),
      ])
  );
}

/** Selects the pool of a number's holder, with the original number that calls are connected to. */
function selectPool(db: QueryBuilder, parameter: ParameterGetter<NumberHolder>) {
  return db
    .selectFrom("pools as pool")
    .innerJoin("accounts as account", "account.id", "pool.account_id")
    .innerJoin("phone_numbers as original", (join) =>
      join.onRef("original.account_id", "=", "pool.account_id").onRef("original.id", "=", "pool.original_number_id"),
    )
    .select(["original.phone_number as original_number", "account.account_token"])
    .select(["pool.is_prompted", "pool.is_recorded"])
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.id", "=", parameter("poolId"));
}

/** The destination of a call to a call tracker, and the source that it is attributed to. */
export type CallDestinationRow = InferResult<ReturnType<typeof selectCallDestination>>[number];

function callResolutionOf(
  trackingNumber: string,
  { poolId, callTrackerId }: NumberHolder,
  row: CallDestinationRow,
  heldUntil: Date | null,
): CallResolution {
  return {
    $typeName: "calltracking.v1.CallResolution",
    trackingNumber,
    originalNumber: row.original_number,
    accountToken: row.account_token,
    poolId,
    callTrackerId,
    source: row.source ?? undefined,
    medium: row.medium ?? undefined,
    isPrompted: row.is_prompted,
    isRecorded: row.is_recorded,
    heldUntil: heldUntil === null ? undefined : toTimestamp(heldUntil),
  };
}
