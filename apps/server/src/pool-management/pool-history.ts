import { parseUuid } from "@calltrack/domain";
import { type CallTrackerChange, CallTrackerChangeKind } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Executor, listColumnNames } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import type { ResolvedAccount } from "../access/account-directory.js";
import type { PageBounds, PagedList } from "../database/page.js";
import { prepareList } from "../database/prepared-statement.js";
import { createStoredEnum } from "../database/stored-enum.js";
import type { CallTrackerChangeTable } from "../database/tables/schema.js";
import { toTimestamp } from "../database/timestamp.js";

const COLUMN_TYPES = {
  id: "text",
  call_tracker_id: "text",
  tracking_number: "text",
  kind: "text",
  source: "text",
  medium: "text",
  reason: "text",
  occurred_at: "time",
} as const;

const COLUMNS = listColumnNames(COLUMN_TYPES);

type ChangeRow = Pick<Selectable<CallTrackerChangeTable>, (typeof COLUMNS)[number]>;

/** A row of a left join from a pool to its history. A pool without history has one row of nulls. */
type JoinedChangeRow = { readonly pool_id: string } & (ChangeRow | { readonly id: null });

const listPoolHistoryStatement = prepareList<
  { accountId: number; pool: string; after: string; limit: number },
  JoinedChangeRow
>({ pool_id: "text", ...COLUMN_TYPES }, (db, parameter) =>
  db
    .selectFrom("pools as pool")
    .leftJoinLateral(
      (from) =>
        from
          .selectFrom("call_tracker_changes")
          .select(COLUMNS)
          .where("account_id", "=", parameter("accountId"))
          .where("pool_id", "=", parameter("pool"))
          .where("id", ">", parameter("after"))
          .orderBy("id")
          .limit(sql<number>`${parameter("limit")}`)
          .as("change"),
      (join) => join.onTrue(),
    )
    .select(["pool.id as pool_id", ...COLUMNS.map((column) => `change.${column}` as const)])
    .where("pool.account_id", "=", parameter("accountId"))
    .where("pool.id", "=", parameter("pool"))
    .$castTo<JoinedChangeRow>(),
);

export const CALL_TRACKER_CHANGE_KINDS = createStoredEnum(CallTrackerChangeKind);

/** A change to a call tracker, with its id in the history. */
export interface PoolHistoryEntry {
  /** An integer as text, which increases with each change in the pool. */
  readonly id: string;
  readonly change: CallTrackerChange;
}

export const POOL_HISTORY_PAGED_LIST: PagedList<PoolHistoryEntry> = {
  name: "pool_history",
  keyOf: ({ id }) => id,
  isKey: (text) => /^[1-9]\d{0,17}$/.test(text),
};

/** Lists changes to a pool's call trackers, oldest first, after the entry with the id `after`; undefined if the account has no such pool. */
export async function listPoolHistory(
  db: Executor,
  { accountId }: ResolvedAccount,
  poolId: string,
  { after, limit }: PageBounds,
): Promise<PoolHistoryEntry[] | undefined> {
  const pool = parseUuid(poolId);
  if (pool === undefined) return undefined;
  const rows = await listPoolHistoryStatement(db, { accountId, pool, after: after ?? "0", limit });
  return rows[0] && rows.filter(isChange).map(entryOf);
}

function isChange(row: JoinedChangeRow): row is JoinedChangeRow & ChangeRow {
  return row.id !== null;
}

function entryOf(row: ChangeRow): PoolHistoryEntry {
  return {
    id: row.id,
    change: {
      $typeName: "calltracking.v1.CallTrackerChange",
      occurredAt: toTimestamp(row.occurred_at),
      kind: CALL_TRACKER_CHANGE_KINDS[row.kind],
      callTrackerId: row.call_tracker_id,
      trackingNumber: row.tracking_number,
      source: row.source ?? undefined,
      medium: row.medium ?? undefined,
      reason: row.reason,
      happensAnyway: false,
    },
  };
}
