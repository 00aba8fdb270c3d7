import { sql } from "kysely";
import { auditPart, UPDATED } from "../../database/audit-part.js";
import { prepareStatement } from "../../database/prepared-statement.js";
import { clockNow } from "./clock-now.js";

/** What `clock_now()` gives once the row is there. */
const TIME = sql<Date>`date_trunc('milliseconds', now() + advanced)`.as("now");

/** See `readClock`. */
export const readStatement = prepareStatement<object, { now: Date }>((db) => db.selectNoFrom(clockNow.as("now")));

/** See `moveClock`. */
export const moveStatement = prepareStatement<{ to: Date; origin: string }, { now: Date }>((db, parameter) =>
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
