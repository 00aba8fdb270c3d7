import type { Executor } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { buildAuditCte, UPDATE_CTE_NAMES } from "../database/audit-cte.js";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ChangeOrigin } from "../database/tables/schema.js";

/** The current time of the pool clock, which is real or virtual. The time is constant within a transaction. */
export const clockNowExpression: RawBuilder<Date> = sql<Date>`clock_now()`;

/**
 * `clockNowExpression`, evaluated once per statement. Without the subquery, PostgreSQL evaluates the clock for every row that the statement compares
 * with it.
 */
export const clockNowSubqueryExpression: RawBuilder<Date> = sql<Date>`(select ${clockNowExpression})`;

/** Creates a function that reads the pool clock. If the clock is real, the function returns the system time and needs no query. */
export function createClockReader(db: Executor, hasVirtualClock: boolean): () => Promise<Date> {
  return hasVirtualClock ? () => readPoolClock(db) : async () => new Date();
}

/** The same time as `clock_now()`, computed from the column `advanced`. */
const TIME = sql<Date>`date_trunc('milliseconds', now() + advanced)`.as("now");

const readClockStatement = prepareStatement<object, { now: Date }>((db) =>
  db.selectNoFrom(clockNowExpression.as("now")),
);

export interface ClockReading {
  readonly now: Date;
  /** How far the clock is ahead of the real time, as the text of a PostgreSQL interval. */
  readonly advanced: string;
}

const readVirtualClockStatement = prepareStatement<object, ClockReading>((db) =>
  db.selectFrom("clock").select([TIME, sql<string>`advanced::text`.as("advanced")]),
);

const moveClockStatement = prepareStatement<{ to: Date; seen: string; origin: string }, { now: Date }>(
  (db, parameter) =>
    db
      .with("before", (cte) => cte.selectFrom("clock").select(["only_row", TIME]).forNoKeyUpdate())
      .with("moved", (cte) =>
        cte
          .updateTable("clock")
          .set({
            advanced: sql<string>`greatest(advanced, ${parameter("to")}::timestamptz - now())`,
            // Sets `is_applied` again, because a server with CLOCK=real may have set it to false since this server started.
            is_applied: sql.lit(true),
          })
          .where("only_row", "=", cte.selectFrom("before").select("only_row"))
          .where("advanced", "=", sql<string>`${parameter("seen")}::interval`)
          .returning("advanced"),
      )
      .with("updated", (cte) => cte.selectFrom("moved").select([sql.lit("clock").as("name"), TIME]))
      .with("audited", () =>
        buildAuditCte({
          type: "clock",
          accountId: sql.lit(0),
          id: "name",
          columns: ["now"],
          ...UPDATE_CTE_NAMES,
          origin: parameter("origin"),
        }),
      )
      .selectFrom("updated")
      .select("now"),
);

export async function readPoolClock(db: Executor): Promise<Date> {
  const [row] = await readClockStatement(db, {});
  // A `select` without `from` returns one row.
  return (row as { now: Date }).now;
}

/** Reads the virtual clock and its offset from the real time. `moveVirtualClock` compares the offset to detect concurrent moves. */
export async function readVirtualClock(db: Executor): Promise<ClockReading> {
  const [row] = await readVirtualClockStatement(db, {});
  // The migrations create this row.
  return row as ClockReading;
}

/** Moves the virtual clock forward to the time `to`, never back. Returns false if another request has moved the clock since `advanced` was read. */
export async function moveVirtualClock(
  db: Executor,
  { advanced }: Pick<ClockReading, "advanced">,
  to: Date,
  origin: ChangeOrigin,
): Promise<boolean> {
  const moved = await moveClockStatement(db, { to, seen: advanced, origin: JSON.stringify(origin) });
  return moved.length > 0;
}
