/** What a statement does, in few words. */
export interface StatementSummary {
  /** Such as `SELECT`. */
  readonly operation: string;
  /** The operation and the table that it is about: `INSERT pools`. */
  readonly summary: string;
}

/** Texts beyond this many are looked at anew each time. */
const MOST_KNOWN = 500;

const WRITE = /\b(insert) into "(\w+)"|\b(update) "(\w+)"|\b(delete) from "(\w+)"/;
const READ = /\bfrom "(\w+)"/;

const known = new Map<string, StatementSummary>();

/** Says what a statement does by its text: what it writes, or what it reads first. */
export function summarizeStatement(sql: string): StatementSummary {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const summary = summarize(sql);
  if (known.size < MOST_KNOWN) known.set(sql, summary);
  return summary;
}

function summarize(sql: string): StatementSummary {
  const [verb, table] =
    WRITE.exec(sql)
      ?.slice(1)
      .filter((part) => part !== undefined) ?? [];
  if (verb !== undefined) return { operation: verb.toUpperCase(), summary: `${verb.toUpperCase()} ${table}` };
  const [, source] = READ.exec(sql) ?? [];
  const first = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? "";
  const operation = first === "WITH" ? "SELECT" : first;
  return { operation, summary: source === undefined ? operation : `${operation} ${source}` };
}
