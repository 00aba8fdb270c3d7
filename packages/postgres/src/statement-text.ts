import type { CompiledQuery, OperationNode } from "kysely";

const WRITING_KINDS: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
] satisfies OperationNode["kind"][]);

/**
 * What all runs of a prepared statement share. The statement leaves nothing behind in its session and relies on no session
 * state, so that it can share a connection with others.
 */
export interface StatementText {
  readonly query: CompiledQuery["query"];
  readonly sql: string;
  /** See `isWriting`. */
  readonly writes: boolean;
  /**
   * The statement for many runs at once: its parameters are arrays of theirs, and each row has the position of its run, counted
   * from 1, as `place`. Undefined if runs do not share statements.
   */
  readonly batchSql: string | undefined;
}

/**
 * Whether a statement may wait for locks or for the disk: it changes or locks rows, in itself or in a part. Raw SQL counts as
 * writing.
 */
export function isWriting(query: CompiledQuery["query"]): boolean {
  return query.kind === "RawNode" || hasWritingNode(query);
}

function hasWritingNode(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node) {
    if (WRITING_KINDS.has(node.kind as string)) return true;
    const modifier = node.kind === "SelectModifierNode" && "modifier" in node ? String(node.modifier) : "";
    // ForUpdate, ForNoKeyUpdate, ForShare and ForKeyShare write the lock into the row.
    if (modifier.startsWith("For")) return true;
  }
  return Object.values(node).some(hasWritingNode);
}
