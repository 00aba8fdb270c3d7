/** A statement for the engine, or a command to open or close its database. */
export type EngineTask =
  | { readonly sql: string; readonly parameters: readonly unknown[] }
  | { readonly action: "open" | "close" };

/** A task for the engine. Its reply has the same id. */
export type EngineRequest = EngineTask & { readonly id: number };

/** The rows or the error of a task, or the message of a crash, after which no reply follows. */
export type EngineReply =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: EngineErrorFields }
  | { readonly crash: string };

/** The fields of a PostgreSQL error, except the statement and its parameters, which PGlite adds. */
const FIELDS = [
  ...["name", "message", "code", "severity", "detail", "hint", "position", "internalPosition", "internalQuery"],
  ...["where", "schema", "table", "column", "dataType", "constraint", "file", "line", "routine"],
] as const;

/** The fields of an error, which is sent to another thread as fields because a cloned error would have only its message. */
export type EngineErrorFields = Readonly<Record<string, unknown>>;

export function fieldsOfError(error: unknown): EngineErrorFields {
  if (!(error instanceof Error)) return { message: String(error) };
  const fields = error as unknown as EngineErrorFields;
  return Object.fromEntries(FIELDS.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]));
}

/** Creates an error with the fields of an error from another thread. */
export function createEngineError({ message, ...fields }: EngineErrorFields): Error {
  return Object.assign(new Error(String(message)), fields);
}
