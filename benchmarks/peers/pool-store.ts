import pg from "pg";
import { CREATE_POOL_STATEMENT, FIND_ACCOUNT_STATEMENT, type PoolRow, UUID_PATTERN } from "./pool-statements.ts";

/** A rejected request, with its HTTP status for JSON and its gRPC code. */
export class RejectedRequestError extends Error {
  readonly statusCode: 400 | 404;
  readonly grpcCode: number;

  constructor(code: keyof typeof GRPC_CODES, message: string) {
    super(message);
    this.statusCode = code === "not found" ? 404 : 400;
    this.grpcCode = GRPC_CODES[code];
  }
}

const GRPC_CODES = { "invalid argument": 3, "not found": 5, "failed precondition": 9 } as const;

export type RunStatement = <R extends object = PoolRow>(
  name: string,
  text: string,
  values: unknown[],
) => Promise<readonly R[]>;

export function openConnectionPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
  // The pool replaces a failed idle connection. Without a listener, the error would end the process.
  pool.on("error", (error) => console.error(error.message));
  return pool;
}

/** Returns a function that runs named statements. Each connection prepares a statement once. */
export function createPreparedStatementRunner(pool: pg.Pool): RunStatement {
  return async (name, text, values) => (await pool.query({ name, text, values })).rows;
}

/** @throws RejectedRequestError if the id is malformed, because PostgreSQL would fail. */
export function requireUuid(id = ""): string {
  if (UUID_PATTERN.test(id)) return id;
  throw new RejectedRequestError("not found", "pool not found");
}

/**
 * @throws RejectedRequestError if the row is missing, because the account does not exist, or if the row has nulls, because the pool does not exist.
 */
export function requirePool([row]: readonly PoolRow[]): PoolRow {
  if (row?.id) return row;
  throw new RejectedRequestError("not found", row === undefined ? "account not found" : "pool not found");
}

/**
 * Returns the selected pools; an empty list if the account has no pools and the row has nulls.
 *
 * @throws RejectedRequestError if the account does not exist.
 */
export function requirePools(rows: readonly PoolRow[]): readonly PoolRow[] {
  if (rows[0] === undefined) throw new RejectedRequestError("not found", "account not found");
  return rows[0].id === null ? [] : rows;
}

/**
 * @param values the values for the parameters of `CREATE_POOL_STATEMENT`.
 * @throws RejectedRequestError if the account or the number does not exist, or if the account is disabled.
 */
export async function createPool(query: RunStatement, values: unknown[]): Promise<PoolRow> {
  const [created] = await query("create_pool", CREATE_POOL_STATEMENT, values);
  if (created !== undefined) return created;
  const [account] = await query<{ is_active: boolean }>("find_account", FIND_ACCOUNT_STATEMENT, values.slice(0, 1));
  if (account === undefined) throw new RejectedRequestError("not found", "account not found");
  const reason = account.is_active ? "original_number is not registered" : "account is disabled";
  throw new RejectedRequestError("failed precondition", reason);
}
