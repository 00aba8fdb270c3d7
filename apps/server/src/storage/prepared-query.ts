import type { CompiledQuery, OperationNode, QueryId } from "kysely";
import { createQueryId } from "kysely";

const WRITING_KINDS: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
] satisfies OperationNode["kind"][]);

/**
 * A statement of `prepareStatement`, with the values of its parameters. It leaves nothing behind in the session that runs it
 * and asks nothing of it, so that it can share a connection with other statements.
 */
export class PreparedQuery<R> implements CompiledQuery<R> {
  readonly queryId: QueryId = createQueryId();

  constructor(
    readonly query: CompiledQuery<R>["query"],
    readonly sql: string,
    readonly parameters: readonly unknown[],
    /** See `isWriting`. */
    readonly writes: boolean,
  ) {}
}

/**
 * Whether a statement may wait for the locks of others or for the disk: it changes or locks rows, in itself or in a part. One
 * that is raw SQL counts as writing.
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
