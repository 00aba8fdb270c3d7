import type { CompiledQuery, OperationNode } from "kysely";

const WRITING_KINDS: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
] satisfies OperationNode["kind"][]);

/** A compiled statement. It neither changes nor uses session state, because it shares connections with other statements. */
export interface CompiledStatement {
  readonly query: CompiledQuery["query"];
  readonly sql: string;
  /** Whether the statement may wait for locks or the disk; see `isWriting`. */
  readonly writes: boolean;
  /**
   * A read-only statement that replaces several concurrent runs of this one. Each parameter is an array with the value from each run. The
   * column `place` of a row is the 1-based position of its run. Undefined if runs are not batched.
   */
  readonly batch: CompiledStatement | undefined;
  /** The maximum number of runs in a batch. */
  readonly batchSize?: number;
}

/** Reports whether a statement may wait for locks or the disk, because any part of it changes or locks rows. Raw SQL counts as writing. */
export function isWriting(query: CompiledQuery["query"]): boolean {
  return query.kind === "RawNode" || hasWritingNode(query);
}

function hasWritingNode(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false;
  if ("kind" in node) {
    if (WRITING_KINDS.has(node.kind as string)) return true;
    const modifier = node.kind === "SelectModifierNode" && "modifier" in node ? String(node.modifier) : "";
    // ForUpdate, ForNoKeyUpdate, ForShare and ForKeyShare write a lock into the row.
    if (modifier.startsWith("For")) return true;
  }
  return Object.values(node).some(hasWritingNode);
}
