import pg from "pg";
import { CREATE_POOL, FIND_ACCOUNT, type PoolRow, UUID } from "./pool-statements.ts";

/** A rejected request, with the status of its response over JSON, and its gRPC code. */
export class Refusal extends Error {
  readonly statusCode: 400 | 404;
  readonly grpcCode: number;

  constructor(code: keyof typeof GRPC_CODES, message: string) {
    super(message);
    this.statusCode = code === "not found" ? 404 : 400;
    this.grpcCode = GRPC_CODES[code];
  }
}

const GRPC_CODES = { "invalid argument": 3, "not found": 5, "failed precondition": 9 } as const;

/** Runs a statement, and returns its rows. */
export type Query = <R extends object = PoolRow>(
  name: string,
  text: string,
  values: unknown[],
) => Promise<readonly R[]>;

/** Opens a pool of connections to the database. */
export function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 16 });
  // The pool replaces a failed idle connection; without a listener the error would end the process.
  pool.on("error", (error) => console.error(error.message));
  return pool;
}

/** Runs statements that each connection prepares once. */
export function prepareOn(pool: pg.Pool): Query {
  return async (name, text, values) => (await pool.query({ name, text, values })).rows;
}

/** @throws Refusal if an id is malformed: PostgreSQL would fail on it. */
export function requireUuid(id = ""): string {
  if (UUID.test(id)) return id;
  throw new Refusal("not found", "pool not found");
}

/**
 * Returns the pool that was selected.
 *
 * @throws Refusal if there is no row for its account, or a row of nulls for the pool.
 */
export function requirePool([row]: readonly PoolRow[]): PoolRow {
  if (row?.id) return row;
  throw new Refusal("not found", row === undefined ? "account not found" : "pool not found");
}

/**
 * Returns the pools that were selected, none for a row of nulls.
 *
 * @throws Refusal if there is no row for their account.
 */
export function requirePools(rows: readonly PoolRow[]): readonly PoolRow[] {
  if (rows[0] === undefined) throw new Refusal("not found", "account not found");
  return rows[0].id === null ? [] : rows;
}

/**
 * Creates a pool.
 *
 * @param values of the parameters of `CREATE_POOL`.
 * @throws Refusal if the account or the number does not exist, or the account is disabled.
 */
export async function createPool(query: Query, values: unknown[]): Promise<PoolRow> {
  const [created] = await query("create_pool", CREATE_POOL, values);
  if (created !== undefined) return created;
  const [account] = await query<{ is_active: boolean }>("find_account", FIND_ACCOUNT, values.slice(0, 1));
  if (account === undefined) throw new Refusal("not found", "account not found");
  const reason = account.is_active ? "original_number is not registered" : "account is disabled";
  throw new Refusal("failed precondition", reason);
}
