import { sql } from "kysely";
import { prepareStatement } from "../database/prepared-statement.js";
import type { PoolWithLastPassRow } from "./pass-statements.js";

/**
 * Finds the pool whose numbers pages show instead of the numbers of a DNI pool with a property, by the rule of `chooseShownNumbers`.
 * Returns no row if no pool takes precedence.
 */
export const findOverridingPoolStatement = prepareStatement<
  Pick<PoolWithLastPassRow, "account_id" | "pool_id"> & { property_token: string },
  { id: string }
>((db, parameter) =>
  db
    .selectFrom("pools as pool")
    .innerJoin("pools as other", (join) =>
      join
        .onRef("other.account_id", "=", "pool.account_id")
        .onRef("other.original_number_id", "=", "pool.original_number_id"),
    )
    .select("other.id")
    .where("pool.account_id", "=", parameter("account_id"))
    .where("pool.id", "=", parameter("pool_id"))
    .where("other.account_id", "=", parameter("account_id"))
    .where("other.property_token", "=", parameter("property_token"))
    .where("other.is_dni", "=", sql.lit(true))
    .where(({ or, and, eb }) => {
      const isOlder = eb("other.id", "<", eb.ref("pool.id"));
      return or([
        and([eb("other.pool_type", "=", eb.ref("pool.pool_type")), isOlder]),
        and([eb("other.pool_type", "=", sql.lit("automanaged")), eb("pool.pool_type", "=", sql.lit("manual"))]),
      ]);
    })
    .orderBy("other.pool_type")
    .orderBy("other.id")
    .limit(sql.lit(1)),
);
