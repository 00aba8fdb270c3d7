import type { ParameterGetter } from "@calltrack/postgres";
import { sql } from "kysely";
import { clockNowExpression } from "../../clock/clock.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import { buildNextTimeExpression } from "../../database/update-time.js";
import type { NumberCarrier } from "../../pool-management/number-carrier.js";
import { isNumberRestingExpression } from "../../pool-management/number-supply.js";
import { numberUpdateTimeExpression } from "./tracking-number-statements.js";

/** A carrier that supplies the numbers that operators have added to the inventory. It calls no external API. */
export const inventoryCarrier: NumberCarrier = {
  async search(db, areaCode, count) {
    const found = await searchStatement(db, { areaCode, count });
    return found.map((row) => row.phone_number);
  },

  async preview(db, areaCode, count) {
    const found = await previewStatement(db, { areaCode, count });
    return found.map((row) => ({ trackingNumber: row.phone_number, freeFrom: row.free_from ?? undefined }));
  },

  async buy(db, purchases) {
    if (purchases.length === 0) return;
    const bought = await buyStatement(db, { purchases: JSON.stringify(purchases) });
    requireAll(
      "free",
      purchases.map((purchase) => purchase.trackingNumber),
      bought,
    );
  },

  async release(db, numbers, restMs) {
    if (numbers.length === 0) return;
    const released = await releaseStatement(db, { numbers, restMs });
    requireAll("held by a call tracker", numbers, released);
  },
};

const searchStatement = prepareStatement<SearchParameters, { phone_number: string }>((db, parameter) =>
  selectUnheld(db, parameter)
    .where(({ not }) => not(isNumberRestingExpression))
    .select("number.phone_number")
    .forNoKeyUpdate("number")
    .skipLocked(),
);

const previewStatement = prepareStatement<SearchParameters, { phone_number: string; free_from: Date | null }>(
  (db, parameter) =>
    selectUnheld(db, parameter)
      .select("number.phone_number")
      // Null for numbers that are not resting: their `free_from` can be in the future if the clock was set back.
      .select(sql<Date | null>`case when ${isNumberRestingExpression} then number.free_from end`.as("free_from")),
);

const buyStatement = prepareStatement<{ purchases: string }, { phone_number: string }>((db, parameter) =>
  db
    // Materialized, because Citus builds an invalid statement if the insert reads `tracking_numbers` itself.
    .with(
      (cte) => cte("held").materialized(),
      (cte) =>
        cte
          .selectFrom(givenPurchases(parameter))
          .innerJoin("tracking_numbers as number", "number.phone_number", "bought.trackingNumber")
          .select(["bought.trackingNumber", "bought.callTrackerId", "bought.accountId", "bought.poolId"])
          // The clock shows the start of the transaction, which may be before the last holder returned the number.
          .select(
            sql<Date>`greatest(${clockNowExpression}, number.returned_at, ${afterLastHolder("number")})`.as(
              "held_from",
            ),
          )
          .where("number.state", "=", sql.lit("free")),
    )
    .with("holder", (cte) =>
      cte
        .insertInto("tracking_number_holders")
        .columns(["phone_number", "held_from", "call_tracker_id", "account_id", "pool_id"])
        .expression((from) =>
          from.selectFrom("held").select(["trackingNumber", "held_from", "callTrackerId", "accountId", "poolId"]),
        )
        .returning("phone_number"),
    )
    .updateTable("tracking_numbers as number")
    .from(givenPurchases(parameter))
    .set(({ ref }) => ({
      state: "assigned",
      account_id: ref("bought.accountId"),
      pool_id: ref("bought.poolId"),
      call_tracker_id: ref("bought.callTrackerId"),
      returned_at: null,
      updated_at: numberUpdateTimeExpression,
    }))
    .whereRef("number.phone_number", "=", "bought.trackingNumber")
    .where("number.state", "=", sql.lit("free"))
    .returning("number.phone_number"),
);

/** When a released number was returned. */
const returnTime = sql<Date>`greatest(clock.now, ${afterLastHolder("tracking_numbers")})`;

const releaseStatement = prepareStatement<{ numbers: readonly string[]; restMs: number }, { phone_number: string }>(
  (db, parameter) =>
    db
      .updateTable("tracking_numbers")
      .from(db.selectNoFrom(clockNowExpression.as("now")).as("clock"))
      .set(({ ref }) => ({
        state: sql<"free" | "retired">`case when state = 'retiring' then 'retired' else 'free' end`,
        returned_at: returnTime,
        // Never before `returned_at`, or the number would count as one that does not rest.
        free_from: sql<Date>`${returnTime} + ${parameter("restMs")}::float8 * interval '1 millisecond'`,
        updated_at: buildNextTimeExpression(ref("clock.now"), ref("tracking_numbers.updated_at")),
      }))
      .where("phone_number", "=", sql<string>`any(${parameter("numbers")}::text[])`)
      .where(sql<boolean>`state in ('assigned', 'retiring')`)
      .returning("phone_number"),
);

/**
 * Returns the time one millisecond after a number's last holder got it; null if the number never had a holder. This lower bound keeps later times in
 * order, even if the clock was set back.
 */
function afterLastHolder(number: string) {
  return sql<Date | null>`(select max(holder.held_from) + interval '1 millisecond' from tracking_number_holders as holder
    where holder.phone_number = ${sql.ref(`${number}.phone_number`)})`;
}

interface SearchParameters {
  areaCode: string;
  count: number;
}

function givenPurchases(parameter: ParameterGetter<{ purchases: string }>) {
  return sql<{ trackingNumber: string; accountId: number; poolId: string; callTrackerId: string }>`
    json_to_recordset(${parameter("purchases")}::json)`.as<"bought">(
    sql`bought ("trackingNumber" text, "accountId" integer, "poolId" uuid, "callTrackerId" uuid)`,
  );
}

function selectUnheld(db: QueryBuilder, parameter: ParameterGetter<SearchParameters>) {
  return (
    db
      .selectFrom("tracking_numbers as number")
      .where("number.area_code", "=", parameter("areaCode"))
      .where("number.state", "=", sql.lit("free"))
      // Numbers that have been free the longest come first, because they get the fewest late calls for their last holders.
      .orderBy("number.free_from")
      .orderBy("number.phone_number")
      .limit(sql<number>`${parameter("count")}`)
  );
}

function requireAll(
  what: string,
  numbers: readonly string[],
  changed: readonly { readonly phone_number: string }[],
): void {
  const done = new Set(changed.map((row) => row.phone_number));
  const others = numbers.filter((number) => !done.has(number));
  if (others.length > 0) throw new Error(`these tracking numbers are not ${what}: ${others.slice(0, 10).join(", ")}`);
}
