import { sql } from "kysely";
import { clockNowSubqueryExpression } from "../clock/clock.js";
import { prepareStatement } from "../database/prepared-statement.js";

/** Whether a free number was released with a rest period; false for a new number. */
const hadRest = sql<boolean>`coalesce(free_from > returned_at, false)`;

/** Whether a free number is in its rest period. False for a number without a rest period, even if the clock was set back before its release. */
export const isNumberRestingExpression = sql<boolean>`(${hadRest} and free_from > ${clockNowSubqueryExpression})`;

export const findNumberAreaCodesStatement = prepareStatement<
  { numbers: readonly string[] },
  { phone_number: string; area_code: string }
>((db, parameter) =>
  db
    .selectFrom("tracking_numbers")
    .select(["phone_number", "area_code"])
    .where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`)
    .$narrowType<{ area_code: string }>(),
);

/** Counting the free numbers of an area code stops at this count. */
const MAX_COUNT = 1000;

/** Counts the numbers of each area code that are free and not resting, up to `MAX_COUNT`. Omits area codes without such a number. */
export const countFreeNumbersStatement = prepareStatement<
  { areaCodes: readonly string[] },
  { area_code: string; free: number }
>((db, parameter) =>
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
            .where(({ not }) => not(isNumberRestingExpression))
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
 * Returns when the first rest period of a number with one of the area codes ends; null if no such number is resting. Ignores rest
 * periods that had ended by `since`.
 */
export const findNextRestEndStatement = prepareStatement<
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
