import { derivePoolWarnings } from "@calltrack/domain";
import { type PoolSummary, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type ColumnJsonTypes, type Executor, listColumnNames } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../access/account-directory.js";
import { createPagedListById, NIL_UUID, type PageBounds } from "../database/page.js";
import { prepareList } from "../database/prepared-statement.js";
import { createStoredEnum } from "../database/stored-enum.js";
import type { PoolPassTable, PoolTable } from "../database/tables/schema.js";
import { toTimestamp } from "../database/timestamp.js";
import { nextPassTimeExpression } from "./pass-schedule-statements.js";

const TYPES = createStoredEnum(PoolType);

const POOL_COLUMN_TYPES = {
  id: "text",
  original_number_id: "text",
  area_code: "text",
  description: "text",
  is_dni: "value",
  pool_type: "text",
  property_token: "text",
  size: "value",
  utilization: "value",
} as const;

const POOL_COLUMNS = listColumnNames(POOL_COLUMN_TYPES);

type SummaryRow = Pick<Selectable<PoolTable>, (typeof POOL_COLUMNS)[number]> &
  Pick<Selectable<PoolPassTable>, "passed_at" | "missing_numbers" | "unserved_sources" | "failures"> & {
    readonly original_number: string;
    readonly is_active: boolean;
    readonly due_at: Date | null;
    readonly active: number;
    readonly flagged: number;
    readonly available: number;
  };

const SUMMARY_COLUMN_TYPES: ColumnJsonTypes<SummaryRow> = {
  ...POOL_COLUMN_TYPES,
  original_number: "text",
  is_active: "value",
  passed_at: "time",
  missing_numbers: "value",
  unserved_sources: "value",
  failures: "value",
  due_at: "time",
  active: "value",
  flagged: "value",
  available: "value",
};

export const POOL_SUMMARY_PAGED_LIST = createPagedListById<PoolSummary>("pool summaries");

/** Lists the summaries of an account's pools in the order of their creation, beginning after the pool with the id `after`. */
export async function listPoolSummaries(
  db: Executor,
  { accountId }: ResolvedAccount,
  { after = NIL_UUID, limit }: PageBounds,
): Promise<PoolSummary[]> {
  const rows = await listPoolSummariesStatement(db, { accountId, after, limit });
  return rows.map(summaryOf);
}

/** Reads one page of pools first, and then probes the other tables for each pool on the page. */
const listPoolSummariesStatement = prepareList<{ accountId: number; after: string; limit: number }, SummaryRow>(
  SUMMARY_COLUMN_TYPES,
  (db, parameter) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom("pools")
          .select(POOL_COLUMNS)
          .where("account_id", "=", parameter("accountId"))
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("pool"),
      )
      .innerJoin("accounts as account", (join) => join.on("account.id", "=", parameter("accountId")))
      .innerJoin("phone_numbers as number", (join) =>
        join.on("number.account_id", "=", parameter("accountId")).onRef("number.id", "=", "pool.original_number_id"),
      )
      .leftJoin("pool_passes as pass", (join) =>
        join.on("pass.account_id", "=", parameter("accountId")).onRef("pass.pool_id", "=", "pool.id"),
      )
      .innerJoinLateral(
        (from) =>
          from
            .selectFrom(
              from
                .selectFrom("call_trackers")
                .select("status")
                .where("account_id", "=", parameter("accountId"))
                .whereRef("pool_id", "=", "pool.id")
                // Without this order, the planner reads all trackers of the account if most belong to one pool.
                .orderBy("id")
                .as("tracker"),
            )
            .select([countOf("active"), countOf("flagged"), countOf("available")])
            .as("trackers"),
        (join) => join.onTrue(),
      )
      .select(POOL_COLUMNS.map((column) => `pool.${column}` as const))
      .select(["number.phone_number as original_number", "account.is_active"])
      .select(["pass.passed_at", "pass.missing_numbers", "pass.unserved_sources", "pass.failures"])
      .select(sql<Date | null>`nullif(${nextPassTimeExpression}, 'infinity')`.as("due_at"))
      .select(["trackers.active", "trackers.flagged", "trackers.available"])
      .orderBy("pool.id")
      .$castTo<SummaryRow>(),
);

function countOf<S extends "active" | "flagged" | "available">(status: S) {
  return sql<number>`(count(*) filter (where status = ${sql.lit(status)}))::integer`.as<S>(status);
}

function summaryOf(row: SummaryRow): PoolSummary {
  const { active, flagged, available, size, passed_at, due_at } = row;
  const isFrozen = !row.is_active;
  const isJudged = passed_at !== null && !isFrozen;
  return {
    $typeName: "calltracking.v1.PoolSummary",
    id: row.id,
    originalNumber: row.original_number,
    areaCode: row.area_code,
    description: row.description ?? undefined,
    propertyToken: row.property_token ?? undefined,
    poolType: TYPES[row.pool_type],
    size,
    utilization: row.utilization ?? undefined,
    ...{ active, flagged, available },
    unservedSources: isJudged ? row.unserved_sources : undefined,
    missingNumbers: isJudged ? row.missing_numbers : undefined,
    warnings: derivePoolWarnings({
      ...{ isFrozen, size, trackers: active + flagged + available, failedPasses: row.failures },
      ...{ unservedSources: row.unserved_sources, missingNumbers: row.missing_numbers },
      ...{ isDni: row.is_dni, hasProperty: row.property_token !== null },
    }),
    lastPassAt: passed_at === null ? undefined : toTimestamp(passed_at),
    nextPassAt: due_at === null || isFrozen ? undefined : toTimestamp(due_at),
  };
}
