import type { Executor } from "@calltrack/postgres";
import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";

/** The holder of a tracking number at a moment, or the most recent one if it was given back. */
export interface NumberHolder {
  readonly accountId: number;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/** A tracking number that nobody had held until a moment. */
export interface UnheldNumber {
  readonly accountId: undefined;
  /** The first holder of the number; undefined if nobody ever held it. */
  readonly firstHolder: { readonly accountId: number; readonly heldFrom: Date } | undefined;
}

interface HolderRow {
  readonly account_id: number | null;
  readonly pool_id: string;
  readonly call_tracker_id: string;
  readonly first_account_id: number | null;
  readonly first_held_from: Date;
}

/** Finds the holders of numbers at moments, inclusive. Results are in the order of `wanted`. */
export async function findNumberHolders(
  db: Executor,
  wanted: readonly { readonly trackingNumber: string; readonly at: Date }[],
): Promise<readonly (NumberHolder | UnheldNumber)[]> {
  const rows = await findNumberHoldersStatement(db, {
    numbers: wanted.map(({ trackingNumber }) => trackingNumber),
    moments: wanted.map(({ at }) => at.toISOString()),
  });
  return rows.map((row) => {
    if (row.account_id !== null) {
      return { accountId: row.account_id, poolId: row.pool_id, callTrackerId: row.call_tracker_id };
    }
    if (row.first_account_id === null) return { accountId: undefined, firstHolder: undefined };
    return { accountId: undefined, firstHolder: { accountId: row.first_account_id, heldFrom: row.first_held_from } };
  });
}

const findNumberHoldersStatement = prepareStatement<
  { numbers: readonly string[]; moments: readonly string[] },
  HolderRow & { readonly place: string }
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
          .whereRef("holder.held_from", "<=", "wanted.moment")
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
    .$castTo<HolderRow & { readonly place: string }>(),
);
