import { type Selectable, sql } from "kysely";
import type { CallTrackerChangeTable } from "../call-trackers/call-tracker-table.js";
import { prepareStatement } from "../storage/prepared-statement.js";

const COLUMNS = [
  "id",
  "call_tracker_id",
  "tracking_number",
  "kind",
  "source",
  "medium",
  "reason",
  "occurred_at",
] as const;

/** A change of a call tracker as it is read. */
export type ChangeRow = Pick<Selectable<CallTrackerChangeTable>, (typeof COLUMNS)[number]>;

/** A row of an outer join from an account to its pool and the pool's history. */
export type JoinedChangeRow = { readonly pool_id: string | null } & (ChangeRow | { readonly id: null });

/** See `listPoolHistory`. */
export const listHistoryStatement = prepareStatement<
  { account: string; pool: string | null; after: string; limit: number | null },
  JoinedChangeRow
>((db, parameter) =>
  db
    .selectFrom("account_handles as handle")
    .leftJoin("pools as pool", (join) =>
      join.onRef("pool.account_id", "=", "handle.account_id").on("pool.id", "=", parameter("pool")),
    )
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("call_tracker_changes")
          .select(COLUMNS)
          .whereRef("call_tracker_changes.account_id", "=", "pool.account_id")
          .whereRef("call_tracker_changes.pool_id", "=", "pool.id")
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("change"),
      (join) => join.onTrue(),
    )
    .select(["pool.id as pool_id", ...COLUMNS.map((column) => `change.${column}` as const)])
    .where("handle.handle", "=", parameter("account"))
    .$castTo<JoinedChangeRow>(),
);
