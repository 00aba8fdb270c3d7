/** A task for the worker thread of the embedded database: to execute a statement, or to open or close the database. */
export type EngineTask =
  | { readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly action: "open" | "close" };

/** A message to the worker thread of the embedded database. The reply to it has the same id. */
export type EngineRequest = EngineTask & { readonly id: number };

/** A reply from the worker thread: the rows or the error of a task, or the message about a crash. No reply follows the message about a crash. */
export type EngineReply =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: EngineErrorFields }
  | { readonly crash: string };

/** The names of the fields in a PostgreSQL error. Omits the statement and its parameters, which PGlite adds. */
const FIELDS = [
  ...["name", "message", "code", "severity", "detail", "hint", "position", "internalPosition", "internalQuery"],
  ...["where", "schema", "table", "column", "dataType", "constraint", "file", "line", "routine"],
] as const;

/** The fields of an error, keyed by name. Threads send these fields instead of the error, because a cloned error would have only its message. */
export type EngineErrorFields = Readonly<Record<string, unknown>>;

export function extractErrorFields(error: unknown): EngineErrorFields {
  if (!(error instanceof Error)) return { message: String(error) };
  const fields = error as unknown as EngineErrorFields;
  return Object.fromEntries(FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** Creates an error from the fields of an error in another thread. */
export function createEngineError({ message, ...fields }: EngineErrorFields): Error {
  return Object.assign(new Error(String(message)), fields);
}
