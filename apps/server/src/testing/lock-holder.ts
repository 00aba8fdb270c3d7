import { CompiledQuery, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { expect } from "vitest";
import type { Schema } from "../database/tables/schema.js";
import { countWaitingStatements } from "./count-waiting.js";
import { connectToPostgres } from "./pg-client.js";

/** A separate session on the server's database, which holds locks for as long as a test needs them. */
export interface LockHolder extends AsyncDisposable {
  /** Begins a transaction and runs the statements, which acquire the locks. */
  hold(...statements: readonly string[]): Promise<void>;
  /** Commits the transaction. */
  release(): Promise<void>;
  /** Resolves when `waiting` statements on the database wait for locks. Fails if `call` ends before that. */
  expectWait(call: Promise<unknown>, waiting?: number): Promise<void>;
  /** Starts each call when all earlier ones wait for locks. Then releases the locks and returns the results. */
  runBlocked<T extends readonly unknown[]>(...calls: { readonly [K in keyof T]: () => Promise<T[K]> }): Promise<T>;
  /** Returns the result of the call. Fails if the call waits for a lock. */
  expectNoWait<T>(call: Promise<T>): Promise<T>;
  /** Runs a statement outside the transaction and returns its rows. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
}

export async function openLockHolder(url: string): Promise<LockHolder> {
  const holder = await connectToPostgres(url);
  const pool = new pg.Pool({ connectionString: url });
  const observer = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const lockHolder: LockHolder = {
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
      while ((await countWaitingStatements(observer)) < waiting)
        expect(outcome, "outcome of a call that should wait").toBe("");
    },
    async runBlocked<T extends readonly unknown[]>(...calls: { readonly [K in keyof T]: () => Promise<T[K]> }) {
      const started: Promise<unknown>[] = [];
      for (const call of calls) {
        const starting = call();
        started.push(starting);
        await lockHolder.expectWait(starting, started.length);
      }
      await lockHolder.release();
      return (await Promise.all(started)) as unknown as T;
    },
    async expectNoWait(call) {
      let isSettled = false;
      const settle = () => {
        isSettled = true;
      };
      call.then(settle, settle);
      while (!isSettled) expect(await countWaitingStatements(observer), "the call waits").toBe(0);
      return call;
    },
    async query(text, values = []) {
      return (await observer.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, [...values]))).rows;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([holder.end(), observer.destroy()]);
    },
  };
  return lockHolder;
}
