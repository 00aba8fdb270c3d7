import {
  type CompiledQuery,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from "kysely";
import { isWriting, PreparedQuery } from "./prepared-query.js";
import type { Schema } from "./schema.js";

/** What a statement can run on: the database, or a transaction. */
export type Executor = Kysely<Schema>;

/** A statement whose text is built once, run with the values of its parameters. */
export type PreparedStatement<P, R> = (db: Executor, parameters: P) => Promise<R[]>;

/** Gives the place of a named parameter in a statement. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>;

class Placeholder {
  constructor(readonly name: string) {}
}

/** Builds queries without a database to run them on. */
const builder: Executor = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * Builds a statement once, at start-up: compiling a query costs more than running it does, and one text is one server-side
 * prepared statement.
 */
export function prepareStatement<P, R>(
  build: (db: Executor, parameter: Parameter<P>) => { compile(): CompiledQuery<R> },
): PreparedStatement<P, R> {
  const compiled = build(builder, (name) => sql`${new Placeholder(name)}`).compile();
  const readers = compiled.parameters.map((value) =>
    value instanceof Placeholder ? (parameters: P) => parameters[value.name as keyof P] : () => value,
  );
  const { query, sql: text } = compiled;
  const writes = isWriting(query);
  return async (db, parameters) => {
    const values = readers.map((read) => read(parameters));
    return (await db.executeQuery<R>(new PreparedQuery(query, text, values, writes))).rows;
  };
}
