import { createStatementFactory, type Executor } from "@calltrack/postgres";
import { sql } from "kysely";

interface ClusterSchema {
  pg_dist_transaction: { readonly groupid: number; readonly gid: string };
  pg_dist_node: { readonly groupid: number; readonly nodeid: number; readonly noderole: string };
}

// A separate factory, because databases without Citus do not have these tables.
const { prepareStatement } = createStatementFactory<ClusterSchema>();

/**
 * Finds transactions that the coordinator of a Citus cluster has committed but a worker has not. A worker leaves them if it crashes between
 * the two phases of a commit. Until the cluster commits them on that worker, the rows that they wrote there are invisible. The coordinator
 * holds no lock for them, so its locks do not show that rows are missing.
 */
export class UnfinishedCommits {
  readonly #db: Executor;
  /** The recorded transactions that all workers have committed. */
  #finished: ReadonlySet<string> = new Set();

  constructor(db: Executor) {
    this.#db = db;
  }

  /**
   * Returns the ids of the unfinished transactions. A transaction counts as unfinished if its worker does not answer. The coordinator keeps
   * its records for about a minute; this method queries the workers only if there are new records.
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

/** When the coordinator commits its own part of a transaction, it also commits a record of each worker's part. */
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
    // The result of a node that does not answer is an error message.
    .where(sql<boolean>`case when answer.success then answer.result::jsonb ? recorded.gid else true end`),
);
