import { DomainError, type PrincipalAccount } from "@calltrack/domain";
import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import { buildHistoryTimeCondition } from "./history-time.js";

/** A tracking number, and the moment for which to find its holder. */
export interface NumberHolderQuery {
  readonly trackingNumber: string;
  /** Undefined to find the last holder. */
  readonly at: Date | undefined;
  /** The account that the principal is bound to; undefined if the principal may access all accounts. */
  readonly own: PrincipalAccount | undefined;
}

/** The call tracker that holds a tracking number or, if the number was returned, held it last. */
export interface NumberHolder {
  readonly accountId: number;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/**
 * Finds the holder of each number at the moment `at`, inclusive. Returns a result for each query, in order. A result is an error if no call
 * tracker had held the number by that moment, or if the holder's account is not `own`.
 *
 * @param field the name of the request field with the moment, for error messages.
 */
export async function findNumberHolders(
  db: Executor,
  wanted: readonly NumberHolderQuery[],
  field: string,
): Promise<readonly (NumberHolder | DomainError)[]> {
  const rows = await findNumberHoldersStatement(db, {
    numbers: wanted.map(({ trackingNumber }) => trackingNumber),
    moments: wanted.map(({ at }) => at?.toISOString() ?? "infinity"),
  });
  return rows.map((row, index) => holderOf(row, wanted[index] as NumberHolderQuery, field));
}

function holderOf(
  row: HolderRow,
  { trackingNumber, own }: NumberHolderQuery,
  field: string,
): NumberHolder | DomainError {
  const accountId = row.account_id ?? row.first_account_id;
  if (accountId === null || (own !== undefined && own.id !== accountId)) {
    return new DomainError("TRACKING_NUMBER_NOT_FOUND", { trackingNumber });
  }
  if (row.account_id !== null) return { accountId, poolId: row.pool_id, callTrackerId: row.call_tracker_id };
  const heldFrom = row.first_held_from.toISOString();
  const description = `must not be before ${heldFrom}: before that time, the number was in no pool`;
  return new DomainError("FIELD_INVALID", { violations: [{ field, description }] });
}

/** A number's holder at the wanted moment, and its first holder. All columns of a holder are null if the number had no such holder. */
interface HolderRow {
  readonly account_id: number | null;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly first_account_id: number | null;
  readonly first_held_from: Date;
}

const findNumberHoldersStatement = prepareStatement<
  { numbers: readonly string[]; moments: readonly string[] },
  HolderRow
>((db, parameter) =>
  db
    .selectFrom(
      sql<{ phone_number: string; moment: Date; place: string }>`
        unnest(${parameter("numbers")}::text[], ${parameter("moments")}::timestamptz[]) with ordinality`.as<"wanted">(
        sql`wanted (phone_number, moment, place)`,
      ),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("tracking_number_holders as holder")
          .select(["holder.account_id", "holder.pool_id", "holder.call_tracker_id"])
          .whereRef("holder.phone_number", "=", "wanted.phone_number")
          .where(buildHistoryTimeCondition(sql.ref("holder.held_from"), sql.ref("wanted.moment")))
          .orderBy("holder.held_from", "desc")
          .orderBy("holder.call_tracker_id", "desc")
          .limit(sql.lit(1))
          .as("found"),
      (join) => join.onTrue(),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("tracking_number_holders as holder")
          .select(["holder.account_id as first_account_id", "holder.held_from as first_held_from"])
          .whereRef("holder.phone_number", "=", "wanted.phone_number")
          .orderBy("holder.held_from")
          .orderBy("holder.call_tracker_id")
          .limit(sql.lit(1))
          .as("first"),
      (join) => join.onTrue(),
    )
    .select(["found.account_id", "found.pool_id", "found.call_tracker_id"])
    .select(["first.first_account_id", "first.first_held_from", "wanted.place"])
    .orderBy("wanted.place")
    .$castTo<HolderRow>(),
);
