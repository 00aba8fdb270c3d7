import { DomainError, type FieldViolation } from "@calltrack/domain";
import type { ParameterGetter } from "@calltrack/postgres";
import { findEntityTagsProblem, parseEntityTags } from "@calltrack/transcoding";
import { type Expression, sql } from "kysely";
import { parseEtag } from "./etag.js";

/**
 * A condition on the current etag of the resource that a request updates. Each etag is represented by the update time that it contains, in ISO 8601.
 */
export interface EtagCondition {
  /** The current etag must be one of these; null if any etag is accepted. */
  readonly etagOneOf: readonly string[] | null;
  /** The current etag must be none of these. */
  readonly etagNoneOf: readonly string[];
  /** Whether the request excludes every etag, as `If-None-Match: *` does. */
  readonly excludesAll?: boolean;
  /** Whether all required etags are weak, so that none of them can match. */
  readonly isWeak?: boolean;
}

/** The fields of an update request from which its etag condition is parsed. */
export interface ConditionalRequest {
  readonly etag?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Finds malformed and empty lists of etags in a request. They would silently match no etag. */
export function findEtagViolations({ etag, ifNoneMatch }: ConditionalRequest): readonly FieldViolation[] {
  return [
    ...findListViolations("etag", "If-Match", etag),
    ...findListViolations("if_none_match", "If-None-Match", ifNoneMatch),
  ];
}

function findListViolations(field: string, header: string, text: string | undefined): readonly FieldViolation[] {
  const problem = text === undefined ? undefined : findEntityTagsProblem(text);
  return problem === undefined
    ? []
    : [{ field, description: `${problem}; JSON requests send this field as the header ${header}` }];
}

/**
 * Parses the etag condition of a request according to RFC 9110 sections 13.1.1 and 13.1.2. A weak etag never satisfies If-Match, but counts
 * for If-None-Match. Ignores etags that no resource can have. Call `findEtagViolations` first, which reports malformed lists.
 */
export function parseEtagCondition({ etag, ifNoneMatch }: ConditionalRequest): EtagCondition {
  const wanted = etag === undefined ? "*" : (parseEntityTags(etag) ?? []);
  const unwanted = ifNoneMatch === undefined ? [] : (parseEntityTags(ifNoneMatch) ?? []);
  // Every existing resource has an etag, so none satisfies `If-None-Match: *`.
  if (unwanted === "*") return { etagOneOf: [], etagNoneOf: [], excludesAll: true };
  return {
    ...(wanted !== "*" && wanted.every(({ isWeak }) => isWeak) && { isWeak: true }),
    etagOneOf: wanted === "*" ? null : wanted.flatMap((tag) => (tag.isWeak ? [] : (parseEtag(tag.opaqueTag) ?? []))),
    etagNoneOf: unwanted.flatMap((tag) => parseEtag(tag.opaqueTag) ?? []),
  };
}

/** Builds the SQL condition that is true if the update time of a row satisfies the `EtagCondition` in the statement's parameters. */
export function buildEtagConditionSql(
  parameter: ParameterGetter<EtagCondition>,
  updatedAt: Expression<unknown> = sql.ref("updated_at"),
) {
  return sql<boolean>`(coalesce(${updatedAt} = any(${parameter("etagOneOf")}::timestamptz[]), true)
    and ${updatedAt} <> all(${parameter("etagNoneOf")}::timestamptz[]))`;
}

/** @throws DomainError `ETAG_MISMATCH` if the current etag of the resource does not satisfy the condition */
export function requireEtagMatch(
  { etagOneOf, etagNoneOf, isWeak = false, excludesAll = false }: EtagCondition,
  { etag }: { readonly etag: string },
): void {
  const time = parseEtag(etag) ?? "";
  // Evaluates If-Match first (RFC 9110 section 13.2.2), except if no etag can satisfy If-None-Match.
  if (!excludesAll && etagOneOf?.includes(time) === false)
    throw new DomainError("ETAG_MISMATCH", { cause: isWeak ? "weak" : "changed" });
  if (excludesAll || etagNoneOf.includes(time)) throw new DomainError("ETAG_MISMATCH", { cause: "excluded" });
}

/**
 * Updates a resource if its current etag satisfies a condition. Retries if a concurrent request has changed the resource.
 *
 * @param update runs the update statement, and returns undefined if the statement changed no row.
 * @param find returns the current resource, or throws the reason why it cannot be updated.
 * @param isDone returns whether the current resource already is as requested. Default: never.
 * @throws DomainError `ETAG_MISMATCH`, or an error from `find`
 */
export async function updateIfEtagMatches<T extends { readonly etag: string }>(
  condition: EtagCondition,
  update: () => Promise<T | undefined>,
  find: () => Promise<T>,
  isDone: (current: T) => boolean = () => false,
): Promise<T> {
  for (;;) {
    const updated = await update();
    if (updated !== undefined) return updated;
    const current = await find();
    requireEtagMatch(condition, current);
    if (isDone(current)) return current;
  }
}
