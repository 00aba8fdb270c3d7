import { sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import { statementTime } from "./clock/current-time.js";

/** Whether a free number was given back to rest. One that was added, or given back without a rest, was not. */
const restedOnce = sql<boolean>`coalesce(free_from > returned_at, false)`;

/**
 * Whether a free number rests. One that was never given back, or was given back without a rest, does not, even if the clock has
 * stepped back to before the time at which that happened.
 */
export const isResting = sql<boolean>`(${restedOnce} and free_from > ${statementTime})`;

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

/** See `findNextRested`. */
export const nextRestedStatement = prepareStatement<
  { areaCodes: readonly string[]; since: Date },
  { free_from: Date | null }
>((db, parameter) =>
  db
    .selectFrom("tracking_numbers")
    .select(({ fn }) => fn.min<Date | null>("free_from").as("free_from"))
    .where("area_code", "=", sql<string>`any(${parameter("areaCodes")}::text[])`)
    .where("state", "=", sql.lit("free"))
    .where(restedOnce)
    .where("free_from", ">", parameter("since")),
);
