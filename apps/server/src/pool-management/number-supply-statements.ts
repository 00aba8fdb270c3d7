import { sql } from "kysely";
import { prepareStatement } from "../storage/prepared-statement.js";
import { statementTime } from "./clock/current-time.js";

/** Whether a free number was released with a rest period. New numbers and numbers released without one were not. */
const hadRest = sql<boolean>`coalesce(free_from > returned_at, false)`;

/**
 * Whether a free number is in its rest period. Always false for numbers without one, even if the clock has stepped
 * back behind their release.
 */
export const isResting = sql<boolean>`(${hadRest} and free_from > ${statementTime})`;

/** See `findAreaCodes`. */
export const areaCodesStatement = prepareStatement<
  { numbers: readonly string[] },
  { phone_number: string; area_code: string }
>((db, parameter) =>
  db
    .selectFrom("tracking_numbers")
    .select(["phone_number", "area_code"])
    .where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`)
    .$narrowType<{ area_code: string }>(),
);

/** See `findFreeAreaCodes`. */
export const freeAreaCodesStatement = prepareStatement<{ areaCodes: readonly string[] }, { area_code: string }>(
  (db, parameter) =>
    db
      .selectFrom(
        sql<{ area_code: string }>`unnest(${parameter("areaCodes")}::text[])`.as<"wanted">(sql`wanted (area_code)`),
      )
      .select("wanted.area_code")
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("tracking_numbers as number")
            .select("number.phone_number")
            .whereRef("number.area_code", "=", "wanted.area_code")
            .where("number.state", "=", sql.lit("free"))
            .where(({ not }) => not(isResting)),
        ),
      ),
);

/** See `findNextRestEnd`. */
export const nextRestEndStatement = prepareStatement<
  { areaCodes: readonly string[]; since: Date },
  { free_from: Date | null }
>((db, parameter) =>
  db
    .selectFrom("tracking_numbers")
    .select(({ fn }) => fn.min<Date | null>("free_from").as("free_from"))
    .where("area_code", "=", sql<string>`any(${parameter("areaCodes")}::text[])`)
    .where("state", "=", sql.lit("free"))
    .where(hadRest)
    .where("free_from", ">", parameter("since")),
);
