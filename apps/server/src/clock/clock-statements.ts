import { sql } from "kysely";
import { prepareStatement } from "../storage/prepared-statement.js";
import { clockNow } from "./clock-now.js";

/** See `readClock`. */
export const readStatement = prepareStatement<object, { now: Date }>((db) => db.selectNoFrom(clockNow.as("now")));

/** See `moveClock`. */
export const moveStatement = prepareStatement<{ to: Date }, { only_row: boolean }>((db, parameter) =>
  db
    .updateTable("clock")
    .set({
      advanced: sql<string>`greatest(advanced, ${parameter("to")}::timestamptz - now())`,
    })
    .returning("only_row"),
);
