import { sql } from "kysely";
import { statementTime } from "../clock/clock.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Whether a free number was released with a rest period. New numbers and numbers released without one were not. */
const hadRest = sql<boolean>`coalesce(free_from > returned_at, false)`;

/**
 * Whether a free number is in its rest period. Always false for numbers without one, even if the clock has stepped
 * back behind their release.
 */
export const isResting = sql<boolean>`(${hadRest} and free_from > ${statementTime})`;

/** Returns the area codes of numbers in the inventory. */
export const findAreaCodes = prepareStatement<
  { numbers: readonly string[] },
  { phone_number: string; area_code: string }
>((db, parameter) =>
  db
    .selectFrom("tracking_numbers")
    .select(["phone_number", "area_code"])
    .where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`)
    .$narrowType<{ area_code: string }>(),
);

/** Returns those of the area codes that have free numbers. */
export const findFreeAreaCodes = prepareStatement<{ areaCodes: readonly string[] }, { area_code: string }>(
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

/**
 * Returns when the next rest period ends among the numbers of the area codes; null if none is resting. Ignores numbers that were not
 * resting at `since`.
 */
export const findNextRestEnd = prepareStatement<
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
