import type { Executor } from "@calltrack/postgres";
import { type RawBuilder, sql } from "kysely";
import { auditPart, UPDATED } from "../database/audit-part.js";
import { prepareStatement } from "../database/prepared-statement.js";
import type { ChangeOrigin } from "../database/tables/schema.js";

/** The time by which pools are managed, as statements have it: the same throughout a transaction. */
export const clockNow: RawBuilder<Date> = sql<Date>`clock_now()`;

/** `clockNow`, worked out once in a statement: by itself it is worked out anew for every row that it is compared with. */
export const statementTime: RawBuilder<Date> = sql<Date>`(select ${clockNow})`;

/**
 * Gives the reading of the time by which pools are managed. Where that cannot be moved it is the time of day, and the database
 * is not asked.
 */
export function createCurrentTime(db: Executor, hasVirtualClock: boolean): () => Promise<Date> {
  return hasVirtualClock ? () => readClock(db) : async () => new Date();
}

/** What `clock_now()` gives once the row is there. */
const TIME = sql<Date>`date_trunc('milliseconds', now() + advanced)`.as("now");

/** See `readClock`. */
const readStatement = prepareStatement<object, { now: Date }>((db) => db.selectNoFrom(clockNow.as("now")));

/** See `moveClock`. */
const moveStatement = prepareStatement<{ to: Date; origin: string }, { now: Date }>((db, parameter) =>
  db
    .with("before", (cte) => cte.selectFrom("clock").select(["only_row", TIME]).forNoKeyUpdate())
    .with("moved", (cte) =>
      cte
        .updateTable("clock")
        .set({ advanced: sql<string>`greatest(advanced, ${parameter("to")}::timestamptz - now())` })
        .where("only_row", "=", cte.selectFrom("before").select("only_row"))
        .returning("advanced"),
    )
    .with("updated", (cte) => cte.selectFrom("moved").select([sql.lit("clock").as("name"), TIME]))
    .with("audited", () =>
      auditPart({
        type: "clock",
        accountId: sql.lit(0),
        id: "name",
        columns: ["now"],
        ...UPDATED,
        origin: parameter("origin"),
      }),
    )
    .selectFrom("updated")
    .select("now"),
);

/** The time by which pools are managed. */
export async function readClock(db: Executor): Promise<Date> {
  const [row] = await readStatement(db, {});
  // A select without a table has one row.
  return (row as { now: Date }).now;
}

/** Moves the clock forward to a time; it never goes back. */
export async function moveClock(db: Executor, to: Date, origin: ChangeOrigin): Promise<void> {
  await moveStatement(db, { to, origin: JSON.stringify(origin) });
}
