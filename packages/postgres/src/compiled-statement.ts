import type { CompiledQuery, OperationNode } from "kysely";

const WRITING_KINDS: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
] satisfies OperationNode["kind"][]);

/** Matches the keywords with which raw SQL within a statement changes or locks rows. */
const WRITING_SQL = /\b(?:insert into|update|delete from|merge into|for (?:no key )?update|for (?:key )?share)\b/i;

/** A compiled statement. It must not use or change session state, because other statements run on the same connections. */
export interface CompiledStatement {
  readonly query: CompiledQuery["query"];
  readonly sql: string;
  /** Whether the statement may wait for locks or the disk; see `isWritingQuery`. */
  readonly writes: boolean;
  /**
   * A read-only statement that runs instead of several concurrent runs of this statement. Each parameter is an array with one value for each
   * run. The column `place` of a result row is the 1-based position of the run that the row belongs to. Undefined if runs are not batched.
   */
  readonly batch: CompiledStatement | undefined;
  /** The maximum number of runs in a batch. */
  readonly batchSize?: number;
}

/** Reports whether any part of a statement changes or locks rows, so that the statement may wait for locks or the disk. True for raw SQL. */
export function isWritingQuery(query: CompiledQuery["query"]): boolean {
  return query.kind === "RawNode" || hasWritingNode(query);
}

function hasWritingNode(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node) {
    if (WRITING_KINDS.has(node.kind as string)) return true;
    if (node.kind === "RawNode" && "sqlFragments" in node && WRITING_SQL.test(String(node.sqlFragments))) return true;
    const modifier = node.kind === "SelectModifierNode" && "modifier" in node ? String(node.modifier) : "";
    // The modifiers ForUpdate, ForNoKeyUpdate, ForShare and ForKeyShare write a lock into the row.
    if (modifier.startsWith("For")) return true;
  }
  return Object.values(node).some(hasWritingNode);
}
