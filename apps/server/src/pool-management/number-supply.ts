import { sql } from "kysely";
import { statementTime } from "../clock/clock.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Whether a free number was released with a rest period. New numbers and numbers released without one were not. */
const hadRest = sql<boolean>`coalesce(free_from > returned_at, false)`;

/** Whether a free number is in its rest period. Always false for numbers without one, even if the clock has stepped back behind their release. */
export const isResting = sql<boolean>`(${hadRest} and free_from > ${statementTime})`;

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

/** The count for an area code stops here. */
const MAX_COUNT = 1000;

/** Counts the free numbers of each area code that are not resting, up to `MAX_COUNT`. Omits area codes that have none. */
export const countFreeNumbers = prepareStatement<{ areaCodes: readonly string[] }, { area_code: string; free: number }>(
  (db, parameter) =>
    db
      .selectFrom(
        sql<{ area_code: string }>`unnest(${parameter("areaCodes")}::text[])`.as<"wanted">(sql`wanted (area_code)`),
      )
      .innerJoinLateral(
        ({ selectFrom }) =>
          selectFrom(
            selectFrom("tracking_numbers as number")
              .select("number.phone_number")
              .whereRef("number.area_code", "=", "wanted.area_code")
              .where("number.state", "=", sql.lit("free"))
              .where(({ not }) => not(isResting))
              .limit(sql.lit(MAX_COUNT))
              .as("found"),
          )
            .select(sql<number>`count(*)::integer`.as("free"))
            .as("counted"),
        (join) => join.on("counted.free", ">", sql.lit(0)),
      )
      .select(["wanted.area_code", "counted.free"]),
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
