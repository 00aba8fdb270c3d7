import type { CompiledQuery, OperationNode, QueryId } from "kysely";
import { createQueryId } from "kysely";

const WRITING_KINDS: ReadonlySet<string> = new Set([
  "InsertQueryNode",
  "UpdateQueryNode",
  "DeleteQueryNode",
  "MergeQueryNode",
] satisfies OperationNode["kind"][]);

/** What all runs of a prepared statement share. */
export interface PreparedText {
  readonly query: CompiledQuery["query"];
  readonly sql: string;
  /** See `isWriting`. */
  readonly writes: boolean;
  /**
   * The same for many runs at once: its parameters are arrays of the values of theirs, its rows have the place of their run, from
   * 1, as `place`. Undefined if it is not to be shared.
   */
  readonly folded: string | undefined;
}

/**
 * A statement of `prepareStatement`, with the values of its parameters. It leaves nothing behind in the session that runs it
 * and asks nothing of it, so that it can share a connection with other statements.
 */
export class PreparedQuery<R> implements CompiledQuery<R> {
  readonly queryId: QueryId = createQueryId();

  constructor(
    readonly text: PreparedText,
    readonly parameters: readonly unknown[],
  ) {}

  get query(): CompiledQuery<R>["query"] {
    return this.text.query;
  }

  get sql(): string {
    return this.text.sql;
  }
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
