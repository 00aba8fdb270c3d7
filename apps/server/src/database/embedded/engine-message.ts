/** A statement for the engine, or an order to open or close its database. */
export type EngineTask =
  | { readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly action: "open" | "close" };

/** A task of the engine. Its reply has the same id. */
export type EngineRequest = EngineTask & { readonly id: number };

/** The response to a request, with the rows of a statement; or the message of a crash, after which no response follows. */
export type EngineReply =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: EngineErrorFields }
  | { readonly crash: string };

/** The fields of a PostgreSQL error that PGlite sets. It also sets the statement and its parameters. */
const FIELDS = [
  ...["name", "message", "code", "severity", "detail", "hint", "position", "internalPosition", "internalQuery"],
  ...["where", "schema", "table", "column", "dataType", "constraint", "file", "line", "routine"],
] as const;

/** The fields of an error. A cloned error would have only its message. */
export type EngineErrorFields = Readonly<Record<string, unknown>>;

/** Returns the fields of an error, to send them to another thread. */
export function fieldsOfError(error: unknown): EngineErrorFields {
  if (!(error instanceof Error)) return { message: String(error) };
  const fields = error as unknown as EngineErrorFields;
  return Object.fromEntries(FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** Creates an error with the fields of one in another thread. */
export function createEngineError({ message, ...fields }: EngineErrorFields): Error {
  return Object.assign(new Error(String(message)), fields);
}
