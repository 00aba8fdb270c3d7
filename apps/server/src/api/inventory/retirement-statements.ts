import { sql } from "kysely";
import { prepareStatement } from "../../database/prepared-statement.js";
import { clockNow } from "../../pool-management/clock/clock-now.js";

/** Names a call tracker. */
export interface HolderParameters {
  accountId: number;
  pool: string;
  callTracker: string;
}

/** The pool of a call tracker, locked against passes: while it is, no number of it comes or goes. */
export const lockPoolStatement = prepareStatement<Omit<HolderParameters, "callTracker">, { id: string }>(
  (db, parameter) =>
    db
      .selectFrom("pools")
      .select("id")
      .where("account_id", "=", parameter("accountId"))
      .where("id", "=", parameter("pool"))
      .forNoKeyUpdate(),
);

/** Marks a call tracker as one whose number is being retired, writes that down in the pool's history, and makes the pool due. */
export const markStatement = prepareStatement<
  HolderParameters & { retirement: "gradual" | "immediate"; reason: string },
  { pool_id: string }
>((db, parameter) =>
  db
    .with("marked", (cte) =>
      cte
        .updateTable("call_trackers")
        .set({ retirement: parameter("retirement") })
        .where("account_id", "=", parameter("accountId"))
        .where("pool_id", "=", parameter("pool"))
        .where("id", "=", parameter("callTracker"))
        .returning(["account_id", "pool_id", "id", "tracking_number", "source", "medium"]),
    )
    .with("changes", (cte) =>
      cte
        .insertInto("call_tracker_changes")
        .columns(["account_id", "pool_id", "call_tracker_id", "tracking_number", "source", "medium", "kind", "reason"])
        .expression((from) =>
          from
            .selectFrom("marked")
            .select(["account_id", "pool_id", "id", "tracking_number", "source", "medium"])
            .select([
              sql.lit<"retiring">("retiring").as("kind"),
              sql<string>`${parameter("reason")}::text`.as("reason"),
            ]),
        )
        .returning("id"),
    )
    .updateTable("pool_passes as pass")
    .from("marked")
    .set({ due_at: clockNow })
    .where("pass.account_id", "=", parameter("accountId"))
    .whereRef("pass.pool_id", "=", "marked.pool_id")
    .returning("pass.pool_id"),
);
