import type { QueryResult } from "kysely";
import pg from "pg";
import { prepareValue } from "pg/lib/utils.js";
import { type Columns, readColumns, readRow } from "./row-reader.js";

/** What a query needs of a connection of `pg`, and its types do not tell in full. */
export interface PgConnection {
  /** The texts of the statements that the server has parsed on this connection, by name. */
  readonly parsedStatements: Readonly<Record<string, string>>;
  readonly stream: pg.Connection["stream"];
  parse(statement: { name: string; text: string }): void;
  bind(values: { portal: string; statement: string; values: readonly unknown[]; valueMapper: unknown }): void;
  describe(portal: { type: "P"; name: string }): void;
  execute(portal: { portal: string; rows: number }): void;
  sync(): void;
}

type QueryCallback = (error: unknown, result?: QueryResult<unknown>) => void;

/** `pg`'s query, as its client sees it. */
const BaseQuery = pg.Query as unknown as new (
  config: { text: string; name: string },
  values: readonly unknown[],
  callback: QueryCallback,
) => { readonly name: string; readonly text: string; readonly values: readonly unknown[]; callback: QueryCallback };

/** The unnamed portal, which the next Bind replaces. */
const PORTAL = "";

const COMPLETED_CHANGE = /^(?:INSERT \d+|UPDATE|DELETE|MERGE) (\d+)$/;

/**
 * One run of a statement in the extended protocol. Unlike `pg`'s own query it asks for the columns of the result only when
 * they are not known yet, and a value that cannot be sent costs the connection nothing.
 *
 * See https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class PipelineQuery extends BaseQuery {
  #columns: Columns | undefined;
  #rows: unknown[] = [];
  #changes: bigint | undefined;
  #unsent: { readonly error: unknown } | undefined;

  /** @param name that of the server-side statement; empty for none. */
  constructor(
    name: string,
    text: string,
    values: readonly unknown[],
    columns: Columns | undefined,
    callback: QueryCallback,
  ) {
    super({ text, name }, values, callback);
    this.#columns = columns;
  }

  /** The columns of the result, if there are any and they are known. */
  get columns(): Columns | undefined {
    return this.#columns;
  }

  submit(connection: PgConnection): null {
    const { name, text, values } = this;
    if (name === "" || connection.parsedStatements[name] === undefined) connection.parse({ name, text });
    try {
      connection.bind({ portal: PORTAL, statement: name, values, valueMapper: prepareValue });
      if (this.#columns === undefined) connection.describe({ type: "P", name: PORTAL });
      connection.execute({ portal: PORTAL, rows: 0 });
    } catch (error) {
      this.#unsent = { error };
    }
    connection.sync();
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    this.#columns = readColumns(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    this.#rows.push(readRow(this.#columns as Columns, fields));
  }

  handleCommandComplete({ text }: { text: string }): void {
    const changes = COMPLETED_CHANGE.exec(text)?.[1];
    if (changes !== undefined) this.#changes = BigInt(changes);
  }

  handleEmptyQuery(): void {}

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    const rows = this.#rows;
    if (this.#unsent !== undefined) this.callback(this.#unsent.error);
    else this.callback(null, this.#changes === undefined ? { rows } : { rows, numAffectedRows: this.#changes });
  }
}
