import { setTimeout as pause } from "node:timers/promises";
import { runWithoutDeadline } from "@calltrack/postgres";
import { sql } from "kysely";
import { UnfinishedCommitFinder } from "../../database/distribution/unfinished-commit-finder.js";
import type { DatabaseAccess } from "../../database/open-database.js";
import { prepareStatement, type QueryBuilder } from "../../database/prepared-statement.js";

/** An open transaction that has written events. */
interface Holder {
  /** Null for a prepared transaction. */
  readonly pid: number | null;
  readonly transaction: string;
}

/** A reading of the log: the last position that was drawn, and the open transactions that may have drawn a smaller position. */
interface Reading {
  readonly position: string;
  readonly holders: readonly Holder[];
  /** Whether a webhook endpoint is due for a delivery or a check, even without a new event. */
  readonly has_due_endpoints: boolean;
}

/** The maximum time `find` waits for open transactions. After that, `find` returns the last known settled position. */
const MAX_WAIT_MS = 1000;

const POLL_MS = 5;

/**
 * Finds how far the log can be read without missing events: transactions can commit in another order than they draw positions. A position is
 * settled when all transactions that drew a smaller position have ended, including those on the workers of a Citus cluster.
 */
export class SettledPosition {
  readonly #database: Pick<DatabaseAccess, "db" | "isDistributed">;
  readonly #commits: UnfinishedCommitFinder;
  #settled = 0n;
  #drawn = 0n;
  #hasDueEndpoints = false;
  /** The oldest reading whose transactions have not all ended. */
  #open: { readonly position: bigint; readonly since: number; holders: readonly Holder[] } | undefined;
  /** `position` is settled once the workers have committed all transactions in `unfinished`. */
  #committing: { readonly position: bigint; unfinished: readonly string[] } | undefined;
  /** The search for unfinished commits, while it is in progress. */
  #search: Promise<void> | undefined;

  constructor(database: Pick<DatabaseAccess, "db" | "isDistributed">) {
    this.#database = database;
    this.#commits = new UnfinishedCommitFinder(database.db);
  }

  /** The last known settled position; 0 before the first reading. */
  get known(): bigint {
    return this.#settled;
  }

  /** The last position that was drawn, as of the last reading, settled or not. */
  get drawn(): bigint {
    return this.#drawn;
  }

  /**
   * Whether a webhook endpoint was due at the last reading of the log. On a single server, one statement reads the log and this value, so that an
   * idle server runs only one statement.
   */
  get hasDueEndpoints(): boolean {
    return this.#hasDueEndpoints;
  }

  /** The time since the oldest unsettled position was read; 0 if all positions are settled. */
  get lagMs(): number {
    return this.#open === undefined ? 0 : performance.now() - this.#open.since;
  }

  /**
   * Reads the log once. Returns the last position that was drawn, which may not be settled yet. On a Citus cluster, starts to ask the
   * workers for unfinished commits, but does not wait for their answers.
   */
  async poll(): Promise<bigint> {
    const startedAt = performance.now();
    const row = await this.#readLog();
    const { position, holders, has_due_endpoints } = row;
    this.#hasDueEndpoints = has_due_endpoints;
    const reading = { position: BigInt(position), since: performance.now(), holders };
    if (reading.position > this.#drawn) this.#drawn = reading.position;
    const open = this.#open;
    // A reading that started before `open` may not include newer transactions, so it does not show which transactions of `open` have ended.
    if (open !== undefined && startedAt >= open.since)
      open.holders = open.holders.filter((holder) => holders.some((each) => isSame(holder, each)));
    const ended = [reading, open].find((each) => each?.holders.length === 0);
    if (ended !== undefined) this.#end(ended.position);
    if (reading.position > this.#settled) this.#open ??= reading;
    return reading.position;
  }

  async #readLog(): Promise<Reading> {
    const { db, isDistributed } = this.#database;
    if (!isDistributed) return (await readStatement(db, {}))[0] as Reading;
    // If a worker is unavailable, the webhook endpoints on it wait for the next reading.
    const due = readDueStatement(db, {}).catch(() => []);
    const [[log], [found]] = await Promise.all([readLogStatement(db, {}), due]);
    return { ...(log as Reading), has_due_endpoints: found?.has_due_endpoints ?? false };
  }

  /** Reads the log once. On a Citus cluster, also waits for the answers of the workers. */
  async advance(): Promise<void> {
    await this.poll();
    await this.#search;
  }

  /**
   * Returns a settled position. It includes all events that were committed before the call, unless another transaction that has
   * written events stays open for longer than a second.
   */
  async find(): Promise<bigint> {
    const until = performance.now() + MAX_WAIT_MS;
    for (const wanted = await this.poll(); this.#settled < wanted && performance.now() < until; await this.poll()) {
      await pause(POLL_MS);
    }
    return this.#settled;
  }

  /** Called when all transactions that drew a smaller position have ended on the database server, which is the coordinator on Citus. */
  #end(position: bigint): void {
    if (!this.#database.isDistributed) this.#settle(position);
    else if (position > this.#settled && this.#search === undefined) {
      // Detached from the request, because other requests may wait for the search too.
      this.#search = runWithoutDeadline(() => this.#findUnfinished(position)).finally(() => {
        this.#search = undefined;
      });
      // Prevents an unhandled rejection: only `advance` awaits the search.
      this.#search.catch(() => {});
    }
  }

  async #findUnfinished(position: bigint): Promise<void> {
    const found = await this.#commits.find();
    const committing = this.#committing ?? { position, unfinished: found };
    committing.unfinished = committing.unfinished.filter((gid) => found.includes(gid));
    this.#committing = committing.unfinished.length > 0 ? committing : undefined;
    if (this.#committing === undefined) this.#settle(committing.position);
  }

  #settle(position: bigint): void {
    if (position > this.#settled) this.#settled = position;
    if (this.#open !== undefined && this.#open.position <= this.#settled) this.#open = undefined;
  }
}

/** While a transaction commits on Citus, `pg_locks` shows it as the virtual transaction `N/0`. */
function isSame(holder: Holder, other: Holder): boolean {
  if (holder.pid !== other.pid) return false;
  return holder.transaction === other.transaction || other.transaction.endsWith("/0");
}

/** Selects 1 because Citus supports no subquery without columns. */
const HAS_DUE_ENDPOINTS = sql<boolean>`exists (
  select 1 from webhook_endpoints where is_active and due_at <= statement_timestamp())`.as("has_due_endpoints");

/**
 * The lateral join reads the locks after the position. By then, every transaction that drew a smaller position has its lock on `events`,
 * which the transaction holds until it ends. Reading `pg_locks` needs no privilege.
 */
const readStatement = prepareStatement<object, Reading>((db) => selectReading(db).select(HAS_DUE_ENDPOINTS));

/** Reads no due endpoints, so that the statement does not fail on Citus if a worker is unavailable. */
const readLogStatement = prepareStatement<object, Omit<Reading, "has_due_endpoints">>((db) => selectReading(db));

const readDueStatement = prepareStatement<object, Pick<Reading, "has_due_endpoints">>((db) =>
  db.selectNoFrom(HAS_DUE_ENDPOINTS),
);

function selectReading(db: QueryBuilder) {
  return db
    .selectFrom(sql<{ last_value: string; is_called: boolean }>`event_positions`.as("sequence"))
    .innerJoinLateral(
      sql<{ holders: readonly Holder[] }>`(
        select coalesce(json_agg(json_build_object('pid', pid, 'transaction', virtualtransaction)), '[]') as holders
        from pg_locks
        where sequence.last_value is not null and locktype = 'relation' and relation = 'events'::regclass
          and mode = 'RowExclusiveLock' and database = (select oid from pg_database where datname = current_database())
      )`.as("lock"),
      (join) => join.onTrue(),
    )
    .select([sql<string>`(last_value - (not is_called)::integer)::text`.as("position"), "lock.holders"]);
}
