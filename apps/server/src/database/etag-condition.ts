import { DomainError } from "@calltrack/domain";
import type { Parameter } from "@calltrack/postgres";
import { parseEntityTags } from "@calltrack/transcoding";
import { type Expression, sql } from "kysely";
import { momentOf } from "./etag.js";

/** What an update asks of the etag that a resource has; the moments are those that the etags stand for, in ISO 8601. */
export interface EtagCondition {
  /** It must be one of these; null for any. */
  readonly etagOneOf: readonly string[] | null;
  /** It must be none of these. */
  readonly etagNoneOf: readonly string[];
}

/** How the requests of updates have a condition. */
export interface ConditionalRequest {
  readonly etag?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/**
 * The condition of a request, by RFC 9110 sections 13.1.1 and 13.1.2: a weak tag is never the one that must be there, but may be
 * the one that must not. A tag that no resource has, or what is no tag at all, is like none.
 */
export function etagCondition({ etag, ifNoneMatch }: ConditionalRequest): EtagCondition {
  const wanted = etag === undefined ? "*" : parseEntityTags(etag);
  const unwanted = ifNoneMatch === undefined ? [] : parseEntityTags(ifNoneMatch);
  // What is updated is there, and has some etag.
  if (unwanted === "*") return { etagOneOf: [], etagNoneOf: [] };
  return {
    etagOneOf: wanted === "*" ? null : wanted.flatMap((tag) => (tag.isWeak ? [] : (momentOf(tag.opaqueTag) ?? []))),
    etagNoneOf: unwanted.flatMap((tag) => momentOf(tag.opaqueTag) ?? []),
  };
}

/** Whether a row that was updated last at this moment fulfils the condition that a statement is run with. */
export function fulfilsCondition(parameter: Parameter<EtagCondition>, updatedAt: Expression<unknown>) {
  return sql<boolean>`(coalesce(${updatedAt} = any(${parameter("etagOneOf")}::timestamptz[]), true)
    and ${updatedAt} <> all(${parameter("etagNoneOf")}::timestamptz[]))`;
}

/**
 * Refuses an update of a resource that does not fulfil the condition as it is now.
 *
 * @throws DomainError `ETAG_MISMATCH`
 */
export function requireCondition({ etagOneOf, etagNoneOf }: EtagCondition, { etag }: { readonly etag: string }): void {
  const moment = momentOf(etag) ?? "";
  if (etagOneOf?.includes(moment) === false || etagNoneOf.includes(moment)) throw new DomainError("ETAG_MISMATCH", {});
}
