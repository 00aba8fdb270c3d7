import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  type Expression,
  Kysely,
  type OperationNodeSource,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from "kysely";
import type { Schema } from "../database/tables/schema.js";
import { isWriting, PreparedQuery, type PreparedText } from "./prepared-query.js";

/** What a statement can run on: the database, or a transaction. */
export type Executor = Kysely<Schema>;

/** A statement whose text is built once, run with the values of its parameters. */
export type PreparedStatement<P, R> = (db: PreparedExecutor, parameters: P) => Promise<R[]>;

/** As much of the database as a prepared statement takes. */
export interface PreparedExecutor {
  executeQuery<R>(query: PreparedQuery<R>): Promise<QueryResult<R>>;
}

/** Gives the place of a named parameter in a statement. */
export type Parameter<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>;

/** Builds a statement from its parameters. */
export type StatementBuilder<P, R> = (db: Executor, parameter: Parameter<P>) => { compile(): CompiledQuery<R> };

/** Builds a statement that can stand within another. */
export type LookUpBuilder<P, R> = (db: Executor, parameter: Parameter<P>) => Compilable<R> & OperationNodeSource;

/** The PostgreSQL types of parameters. */
export type ParameterTypes<P> = Readonly<Record<keyof P & string, "integer" | "text" | "uuid">>;

const texts: PreparedText[] = [];

/** The statements that were prepared so far: all that the server ever sends, once its modules are loaded. */
export const PREPARED_TEXTS: readonly PreparedText[] = texts;

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
export function prepareStatement<P, R>(build: StatementBuilder<P, R>): PreparedStatement<P, R> {
  return preparedStatement(compileStatement(build));
}

/**
 * Builds a statement that looks up at most one row by its keys. On a PostgreSQL server, runs of it that meet share one statement:
 * for each row of their keys, what it finds.
 *
 * @param types those of its parameters.
 */
export function prepareLookUp<P, R>(types: ParameterTypes<P>, build: LookUpBuilder<P, R>): PreparedStatement<P, R> {
  const alone = compileStatement(build);
  const names = alone.parameters.map((value) => (value as Placeholder).name as keyof P & string);
  const keys = names.map((name, index) => `$${index + 1}::${types[name]}[]`).join(", ");
  const columns = names.map((_, index) => `key_${index + 1}`).join(", ");
  const found = build(builder, (name) => sql.ref(`wanted.key_${names.indexOf(name) + 1}`));
  const folded = sql`
    select wanted.place::integer as place, found.*
    from unnest(${sql.raw(keys)}) with ordinality as wanted (${sql.raw(columns)}, place)
    cross join lateral ${found} as found`.compile(builder);
  return preparedStatement(alone, folded.sql);
}

function compileStatement<P, R>(build: StatementBuilder<P, R>): CompiledQuery<R> {
  return build(builder, (name) => sql`${new Placeholder(name)}`).compile();
}

function preparedStatement<P, R>(compiled: CompiledQuery<R>, folded?: string): PreparedStatement<P, R> {
  const { query, sql, parameters } = compiled;
  const readers = parameters.map((value) =>
    value instanceof Placeholder ? (given: P) => given[value.name as keyof P] : () => value,
  );
  const text: PreparedText = { query, sql, writes: isWriting(query), folded };
  texts.push(text);
  return (db, given) => {
    const values = readers.map((read) => read(given));
    return db.executeQuery<R>(new PreparedQuery(text, values)).then(rowsOf);
  };
}

function rowsOf<R>({ rows }: QueryResult<R>): R[] {
  return rows;
}
