import { createStatementFactory, type Executor } from "@calltrack/postgres";
import { sql } from "kysely";

interface ClusterSchema {
  pg_dist_transaction: { readonly groupid: number; readonly gid: string };
  pg_dist_node: { readonly groupid: number; readonly nodeid: number; readonly noderole: string };
}

// Statements on the tables of Citus have their own factory, because databases without Citus do not have these tables.
const { prepareStatement } = createStatementFactory<ClusterSchema>();

/**
 * Finds transactions that the coordinator of a Citus cluster has committed, but a worker has not. This happens if the worker crashes between the two
 * phases of the commit.
 *
 * Until the cluster commits such a transaction on the worker, the rows that the transaction wrote there are invisible. The coordinator's locks do not
 * reveal such a transaction, because the coordinator no longer holds a lock for it.
 */
export class UnfinishedCommitFinder {
  readonly #db: Executor;
  /** The ids of the recorded transactions that all workers are known to have committed. */
  #finished: ReadonlySet<string> = new Set();

  constructor(db: Executor) {
    this.#db = db;
  }

  /**
   * Returns the ids of unfinished transactions. A transaction also counts as unfinished if its worker does not respond. The coordinator keeps a
   * record of each transaction for about a minute. This method queries the workers only if there are new records.
   */
  async find(): Promise<readonly string[]> {
    const finished = this.#finished;
    const isOpen = ({ gid }: { readonly gid: string }) => !finished.has(gid);
    const recorded = await listRecordedStatement(this.#db, {});
    const unfinished = recorded.some(isOpen) ? (await listUnfinishedStatement(this.#db, {})).filter(isOpen) : [];
    const found = new Set(unfinished.map(({ gid }) => gid));
    this.#finished = new Set(recorded.map(({ gid }) => gid).filter((gid) => !found.has(gid)));
    return [...found];
  }
}

/**
 * Lists the transaction records on the coordinator. When the coordinator commits its own part of a transaction, it also commits a record of each
 * worker's part.
 */
const listRecordedStatement = prepareStatement<object, { gid: string }>((db) =>
  db.selectFrom("pg_dist_transaction").select("gid"),
);

const PREPARED = "select coalesce(jsonb_agg(gid), '[]') from pg_prepared_xacts where database = current_database()";

const listUnfinishedStatement = prepareStatement<object, { gid: string }>((db) =>
  db
    .selectFrom("pg_dist_transaction as recorded")
    .leftJoin("pg_dist_node as node", (join) =>
      join.onRef("node.groupid", "=", "recorded.groupid").on("node.noderole", "=", sql.lit("primary")),
    )
    .leftJoin(
      sql<{ nodeid: number; success: boolean; result: string }>`run_command_on_all_nodes(${sql.lit(PREPARED)})`.as(
        "answer",
      ),
      "answer.nodeid",
      "node.nodeid",
    )
    .select("recorded.gid")
    // `success` is false for a node that does not respond, and `result` is then an error message instead of JSON.
    .where(sql<boolean>`case when answer.success then answer.result::jsonb ? recorded.gid else true end`),
);
