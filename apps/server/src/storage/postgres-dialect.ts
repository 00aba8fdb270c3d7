import { PostgresDialect } from "kysely";
import pg from "pg";

const MOST_CONNECTIONS = 16;
const CONNECT_TIMEOUT_MS = 10_000;

/** No server-side statement is named beyond this many different texts, so that generated SQL cannot fill its memory. */
const MOST_NAMED_STATEMENTS = 500;

const statementNames = new Map<string, string>();

/**
 * The dialect of a PostgreSQL server.
 *
 * @param url `postgres://user:password@host:port/database`
 * @param onIdleError is told of a connection that failed while nobody used it; the pool replaces it.
 */
export function createPostgresDialect(url: string, onIdleError: (error: Error) => void): PostgresDialect {
  const pool = new pg.Pool({
    connectionString: url,
    max: MOST_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    Client: NamedStatementClient,
  });
  pool.on("error", onIdleError);
  return new PostgresDialect({ pool });
}

/**
 * Names every statement that has parameters by its text, so that the server parses and plans it once a connection. Kysely
 * sends no names.
 */
class NamedStatementClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg's query() have no common type
  override query(...args: any[]): any {
    const [text, values] = args;
    const name =
      typeof text === "string" && Array.isArray(values) && values.length > 0 ? statementName(text) : undefined;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const query = super.query as (...args: any[]) => any;
    return name === undefined ? query.apply(this, args) : query.call(this, { name, text, values }, ...args.slice(2));
  }
}

function statementName(text: string): string | undefined {
  let name = statementNames.get(text);
  if (name === undefined && statementNames.size < MOST_NAMED_STATEMENTS) {
    name = `calltrack_${statementNames.size + 1}`;
    statementNames.set(text, name);
  }
  return name;
}
