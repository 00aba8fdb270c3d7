import { type Selectable, sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import type { CallTrackerChangeTable } from "../database/tables/call-tracker-table.js";

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

/** A row of an outer join from a pool to its history. */
export type JoinedChangeRow = { readonly pool_id: string } & (ChangeRow | { readonly id: null });

/** See `listPoolHistory`. */
export const listHistoryStatement = prepareStatement<
  { accountId: number; pool: string; after: string; limit: number | null },
  JoinedChangeRow
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("call_tracker_changes")
          .select(COLUMNS)
          .where("account_id", "=", parameter("accountId"))
          .where("pool_id", "=", parameter("pool"))
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("change"),
      (join) => join.onTrue(),
    )
    .select(["pool.id as pool_id", ...COLUMNS.map((column) => `change.${column}` as const)])
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.id", "=", parameter("pool"))
    .$castTo<JoinedChangeRow>(),
);
