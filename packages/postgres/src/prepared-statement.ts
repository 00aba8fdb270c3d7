import {
  type Compilable,
  type CompiledQuery,
  type Expression,
  Kysely,
  type OperationNodeSource,
  PostgresDialect,
  sql,
} from "kysely";
import { type CompiledStatement, isWritingQuery } from "./compiled-statement.js";
import type { Executor } from "./executor.js";
import {
  buildJsonColumnsStatement,
  type ColumnJsonTypes,
  createJsonColumnsReader,
  type JsonColumnsRow,
} from "./json-columns.js";

/** Runs a prepared statement with parameter values, and resolves to the result rows. The first run compiles the statement. */
export type PreparedStatement<P, R> = (db: Pick<Executor, "run">, parameters: P) => Promise<R[]>;

/** Returns the placeholder for the parameter with this name, for use in a statement. */
export type ParameterGetter<P> = <K extends keyof P & string>(name: K) => Expression<P[K]>;

/** Builds a statement with Kysely. The statement contains `parameter(name)` wherever it uses the parameter with that name. */
export type StatementBuilder<DB, P, R> = (
  db: Kysely<DB>,
  parameter: ParameterGetter<P>,
) => { compile(): CompiledQuery<R> };

/** Builds a statement that can also be a subquery. The statement that several concurrent runs share contains it as a subquery. */
export type SubqueryBuilder<DB, P, R> = (
  db: Kysely<DB>,
  parameter: ParameterGetter<P>,
) => Compilable<R> & OperationNodeSource;

/** The PostgreSQL type of each parameter, keyed by the parameter name. */
export type ParameterTypes<P> = Readonly<Record<keyof P & string, "integer" | "text" | "uuid">>;

/** Maximum number of lookups that share a statement. Larger batches would delay the first lookup in the batch. */
const MAX_LOOKUPS = 32;

/** Maximum number of lists that share a statement. With larger batches, this process and PostgreSQL mostly wait for each other. */
const MAX_LISTS = 8;

class Placeholder {
  constructor(readonly name: string) {}
}

/**
 * Creates the functions that prepare statements on the tables of `DB`. Call the created functions while modules load, so that `listStatements`
 * returns every statement.
 */
export function createStatementFactory<DB>() {
  const prepared: (() => CompiledStatement)[] = [];
  // This instance only builds SQL, and never connects to a database.
  const builder = new Kysely<DB>({ dialect: new PostgresDialect({ pool: () => Promise.reject(new Error("unused")) }) });

  function compile<P, R>(build: StatementBuilder<DB, P, R>): CompiledQuery<R> {
    return build(builder, (name) => sql`${new Placeholder(name)}`).compile();
  }

  function prepare<P, R>(
    compileAll: () => Partial<Pick<CompiledStatement, "batch" | "batchSize" | "writes">> & {
      readonly single: CompiledQuery<R>;
    },
  ): PreparedStatement<P, R> {
    const use = createOnFirstCall(() => {
      const { single, batch, batchSize = MAX_LOOKUPS, writes = isWritingQuery(single.query) } = compileAll();
      const { query, sql, parameters } = single;
      const readers = parameters.map((value) =>
        value instanceof Placeholder ? (given: P) => given[value.name as keyof P] : () => value,
      );
      return { statement: { query, sql, writes, batch, batchSize }, readers };
    });
    prepared.push(() => use().statement);
    return (db, given) => {
      const { statement, readers } = use();
      return db.run<R>(
        statement,
        readers.map((read) => read(given)),
      );
    };
  }

  /** Compiles the statement that several concurrent runs share; see `CompiledStatement.batch`. */
  function compileBatch<P>(
    { parameters }: CompiledQuery,
    types: ParameterTypes<P>,
    build: (parameter: ParameterGetter<P>) => OperationNodeSource,
  ): CompiledStatement {
    const names = parameters.map((value) => (value as Placeholder).name as keyof P & string);
    const keys = names.map((name, index) => `$${index + 1}::${types[name]}[]`).join(", ");
    const columns = names.map((_, index) => `key_${index + 1}`).join(", ");
    const found = build((name) => sql.ref(`wanted.key_${names.indexOf(name) + 1}`));
    const { query, sql: text } = sql`
    select wanted.place::integer as place, found.*
    from unnest(${sql.raw(keys)}) with ordinality as wanted (${sql.raw(columns)}, place)
    cross join lateral ${found} as found`.compile(builder);
    return { query, sql: text, writes: false, batch: undefined };
  }

  return {
    listStatements: (): readonly CompiledStatement[] => prepared.map((compiled) => compiled()),

    /** Prepares a statement, which is compiled once, because compiling takes longer than running. Equal SQL shares one server-side statement. */
    prepareStatement: <P, R>(build: StatementBuilder<DB, P, R>) => prepare<P, R>(() => ({ single: compile(build) })),

    /**
     * Prepares a statement that looks up at most one row by its keys. Concurrent runs outside transactions share a statement. The rows of a
     * shared statement have an additional property `place`, so no column may have that name.
     */
    prepareLookup<P, R>(types: ParameterTypes<P>, build: SubqueryBuilder<DB, P, R>) {
      return prepare<P, R>(() => {
        const single = compile(build);
        return { single, batch: compileBatch(single, types, (parameter) => build(builder, parameter)) };
      });
    },

    /**
     * Prepares a statement that reads many rows. The server returns the rows as one JSON array, because `pg` takes twice as long to parse
     * the values one by one.
     *
     * @param build builds the statement that selects the rows, in the order of the list.
     * @param types if present, concurrent runs outside transactions share a statement. Each run should then return few rows.
     */
    prepareList<P, R>(
      columns: ColumnJsonTypes<R>,
      build: SubqueryBuilder<DB, P, R>,
      types?: ParameterTypes<P>,
    ): PreparedStatement<P, R> {
      const select = (parameter: ParameterGetter<P>) => buildJsonColumnsStatement(columns, build(builder, parameter));
      const run = prepare<P, JsonColumnsRow>(() => {
        const single = compile<P, JsonColumnsRow>((db, parameter) => ({
          compile: () => select(parameter).compile(db),
        }));
        const batch = types && compileBatch<P>(single, types, (parameter) => sql`(${select(parameter)})`);
        return { single, batch, batchSize: MAX_LISTS, writes: false };
      });
      const read = createJsonColumnsReader(columns);
      return (db, given) => run(db, given).then(read);
    },
  };
}

function createOnFirstCall<T>(create: () => T): () => T {
  let created: T | undefined;
  return () => {
    created ??= create();
    return created;
  };
}
