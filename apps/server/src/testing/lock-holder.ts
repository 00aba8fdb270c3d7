import pg from "pg";
import { expect } from "vitest";

/** A separate session on the server's database that holds locks as long as a test needs them. */
export interface LockHolder extends AsyncDisposable {
  /** Begins a transaction and runs the statements, which acquire the locks. */
  hold(...statements: readonly string[]): Promise<void>;
  /** Commits the transaction. */
  release(): Promise<void>;
  /** Resolves when `waiting` statements on the database wait for locks. Fails if `call` ends before. */
  expectWait(call: Promise<unknown>, waiting?: number): Promise<void>;
  /** Returns the result of the call. Fails if the call waits for a lock. */
  expectNoWait<T>(call: Promise<T>): Promise<T>;
  /** Runs a statement outside the transaction and returns its rows. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

/** Opens a session that holds locks. */
export async function openLockHolder(url: string): Promise<LockHolder> {
  const [holder, observer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), observer.connect()]);
  const query: LockHolder["query"] = async (text, values = []) => (await observer.query(text, [...values])).rows;
  return {
    async hold(...statements) {
      for (const statement of ["begin", ...statements]) await holder.query(statement);
    },
    async release() {
      await holder.query("commit");
    },
    async expectWait(call, waiting = 1) {
      let outcome = "";
      call.then(
        () => {
          outcome = "done";
        },
        (error) => {
          outcome = `refused: ${error}`;
        },
      );
      while ((await countWaiting(query)) < waiting) expect(outcome, "outcome of a call that should wait").toBe("");
    },
    async expectNoWait(call) {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      call.then(settle, settle);
      while (!isSettled) expect(await countWaiting(query), "the call waits").toBe(0);
      return call;
    },
    query,
    async [Symbol.asyncDispose]() {
      await Promise.all([holder.end(), observer.end()]);
    },
  };
}

async function countWaiting(query: LockHolder["query"]): Promise<number> {
  const [row] = await query(
    `select count(*)::integer as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return Number(row?.waiting);
}
