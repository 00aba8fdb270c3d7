import type { EventType } from "@calltrack/domain";
import type { Executor, ParameterGetter } from "@calltrack/postgres";
import { type Selectable, sql } from "kysely";
import { prepareList, prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";
import type { CallTrackerEventFacts, EventTable } from "../../database/tables/schema.js";

export type EventRow = Pick<
  Selectable<EventTable>,
  "account_id" | "position" | "pool_id" | "resource_id" | "number"
> & {
  readonly type: EventType;
  /** Microseconds since the Unix epoch, as text. */
  readonly occurred_at: string;
  readonly facts: CallTrackerEventFacts | null;
};

const COLUMN_TYPES = {
  account_id: "value",
  position: "text",
  type: "text",
  occurred_at: "text",
  pool_id: "text",
  resource_id: "text",
  number: "text",
  facts: "value",
} as const;

const COLUMNS = [
  ...(["account_id", "position", "type", "pool_id", "resource_id", "number", "facts"] as const),
  sql<string>`(extract(epoch from occurred_at) * 1000000)::bigint`.as("occurred_at"),
] as const;

export interface EventRange {
  /** The range starts after this position. */
  readonly after: bigint;
  /** The last position of the range, inclusive. */
  readonly until: bigint;
  /** Leaves out events that occurred before this time, in microseconds since 1970; undefined for no limit. */
  readonly from: bigint | undefined;
  /** Undefined for all types. */
  readonly types: readonly EventType[] | undefined;
  readonly limit: number;
}

/** Lists events in the order of their positions. Without an `accountId`, lists the events of all accounts, and those of no account. */
export function listEvents(
  db: Executor,
  accountId: number | undefined,
  { after, until, from = 0n, types = [], limit }: EventRange,
): Promise<EventRow[]> {
  const range = { after: String(after), until: String(until), from: formatMicroseconds(from), types, limit };
  return accountId === undefined ? listAllStatement(db, range) : listOfAccountStatement(db, { ...range, accountId });
}

/** Formats microseconds since 1970 in ISO 8601. */
function formatMicroseconds(time: bigint): string {
  const milliseconds = new Date(Number(time / 1000n)).toISOString();
  return milliseconds.replace("Z", `${String(time % 1000n).padStart(3, "0")}Z`);
}

interface RangeParameters {
  after: string;
  until: string;
  from: string;
  types: readonly string[];
  limit: number;
}

const listAllStatement = prepareList<RangeParameters, EventRow>(COLUMN_TYPES, selectRange);

const listOfAccountStatement = prepareList<RangeParameters & { accountId: number }, EventRow>(
  COLUMN_TYPES,
  (db, parameter) => selectRange(db, parameter).where("account_id", "=", parameter("accountId")),
);

function selectRange(db: QueryBuilder, parameter: ParameterGetter<RangeParameters>) {
  return db
    .selectFrom("events")
    .select(COLUMNS)
    .where("position", ">", sql<string>`${parameter("after")}::bigint`)
    .where("position", "<=", sql<string>`${parameter("until")}::bigint`)
    .where("occurred_at", ">=", sql<Date>`${parameter("from")}::timestamptz`)
    .where(sql<boolean>`(cardinality(${parameter("types")}::text[]) = 0 or type = any(${parameter("types")}::text[]))`)
    .orderBy("position")
    .limit(sql<number>`${parameter("limit")}`)
    .$castTo<EventRow>();
}

/**
 * Finds the events at the given positions, in the order of their positions. Omits expired events. Without an `accountId`, finds events of any account
 * and of no account.
 */
export function findEvents(
  db: Executor,
  accountId: number | undefined,
  positions: readonly string[],
): Promise<EventRow[]> {
  if (positions.length === 0) return Promise.resolve([]);
  return accountId === undefined
    ? findAllStatement(db, { positions })
    : findOfAccountStatement(db, { positions, accountId });
}

const findAllStatement = prepareList<{ positions: readonly string[] }, EventRow>(COLUMN_TYPES, selectAt);

const findOfAccountStatement = prepareList<{ positions: readonly string[]; accountId: number }, EventRow>(
  COLUMN_TYPES,
  (db, parameter) => selectAt(db, parameter).where("account_id", "=", parameter("accountId")),
);

function selectAt(db: QueryBuilder, parameter: ParameterGetter<{ positions: readonly string[] }>) {
  return db
    .selectFrom("events")
    .select(COLUMNS)
    .where("position", "=", sql<string>`any(${parameter("positions")}::bigint[])`)
    .orderBy("position")
    .$castTo<EventRow>();
}

/** Finds the last event at or before a position, of any account or none. */
export async function findLastEventUpTo(db: Executor, position: bigint): Promise<EventRow | undefined> {
  const [row] = await findLastStatement(db, { position: String(position) });
  return row;
}

const findLastStatement = prepareList<{ position: string }, EventRow>(COLUMN_TYPES, (db, parameter) =>
  db
    .selectFrom("events")
    .select(COLUMNS)
    .where("position", "<=", sql<string>`${parameter("position")}::bigint`)
    .orderBy("position", "desc")
    .limit(sql.lit(1))
    .$castTo<EventRow>(),
);

/** Finds the first event after a position, of any account or none. */
export async function findFirstEventAfter(db: Executor, position: bigint): Promise<EventRow | undefined> {
  const [row] = await findNextStatement(db, { position: String(position) });
  return row;
}

const findNextStatement = prepareList<{ position: string }, EventRow>(COLUMN_TYPES, (db, parameter) =>
  db
    .selectFrom("events")
    .select(COLUMNS)
    .where("position", ">", sql<string>`${parameter("position")}::bigint`)
    .orderBy("position")
    .limit(sql.lit(1))
    .$castTo<EventRow>(),
);

export interface EventLogState {
  /** A UUID in hexadecimal digits, without hyphens. A restored database has the same id as the original. */
  readonly logId: string;
  /** All events up to this position have expired; 0 if none has. */
  readonly lastDeleted: bigint;
}

export async function readEventLogState(db: Executor): Promise<EventLogState> {
  const rows = await readLogStateStatement(db, {});
  const [state] = rows;
  if (state === undefined) throw new Error("the settings table has no row named event_log_id");
  return { logId: state.log_id, lastDeleted: BigInt(state.last_deleted) };
}

const readLogStateStatement = prepareStatement<object, { log_id: string; last_deleted: string }>((db) =>
  db
    .selectFrom("settings as log")
    .innerJoin("settings as deleted", (join) => join.onTrue())
    .select([
      sql<string>`encode(log.value, 'hex')`.as("log_id"),
      // PostgreSQL has no function that reads an integer from bytes.
      sql<string>`('x' || encode(deleted.value, 'hex'))::bit(64)::bigint::text`.as("last_deleted"),
    ])
    .where("log.name", "=", sql.lit("event_log_id"))
    .where("deleted.name", "=", sql.lit("last_deleted_event")),
);
