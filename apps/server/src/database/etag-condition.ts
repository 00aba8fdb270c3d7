import { DomainError, type FieldViolation } from "@calltrack/domain";
import type { Parameter } from "@calltrack/postgres";
import { entityTagsProblem, parseEntityTags } from "@calltrack/transcoding";
import { type Expression, sql } from "kysely";
import { parseEtag } from "./etag.js";

/** The condition of an update on the resource's current etag. Etags are represented by their update times, in ISO 8601. */
export interface EtagCondition {
  /** The current etag must be one of these; null for any. */
  readonly etagOneOf: readonly string[] | null;
  /** The current etag must be none of these. */
  readonly etagNoneOf: readonly string[];
  /** Whether the request excludes every etag, as `If-None-Match: *` does. */
  readonly excludesAll?: boolean;
  /** Whether the required etags are all weak, so that none can match. */
  readonly isWeak?: boolean;
}

/** The fields of an update request that hold its condition. */
export interface ConditionalRequest {
  readonly etag?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Finds malformed and empty lists of etags, which would silently match nothing. */
export function findConditionViolations({ etag, ifNoneMatch }: ConditionalRequest): readonly FieldViolation[] {
  return [
    ...findListViolations("etag", "If-Match", etag),
    ...findListViolations("if_none_match", "If-None-Match", ifNoneMatch),
  ];
}

function findListViolations(field: string, header: string, text: string | undefined): readonly FieldViolation[] {
  const problem = text === undefined ? undefined : entityTagsProblem(text);
  return problem === undefined ? [] : [{ field, description: `${problem}; over JSON it is the header ${header}` }];
}

/**
 * Parses the condition of a request by RFC 9110 sections 13.1.1 and 13.1.2. A weak tag never satisfies If-Match, but counts for
 * If-None-Match. Tags that no resource can have match nothing. Call `findConditionViolations` first, which finds malformed lists.
 */
export function parseEtagCondition({ etag, ifNoneMatch }: ConditionalRequest): EtagCondition {
  const wanted = etag === undefined ? "*" : (parseEntityTags(etag) ?? []);
  const unwanted = ifNoneMatch === undefined ? [] : (parseEntityTags(ifNoneMatch) ?? []);
  // An existing resource always has some etag, so If-None-Match: * never holds.
  if (unwanted === "*") return { etagOneOf: [], etagNoneOf: [], excludesAll: true };
  return {
    ...(wanted !== "*" && wanted.every(({ isWeak }) => isWeak) && { isWeak: true }),
    etagOneOf: wanted === "*" ? null : wanted.flatMap((tag) => (tag.isWeak ? [] : (parseEtag(tag.opaqueTag) ?? []))),
    etagNoneOf: unwanted.flatMap((tag) => parseEtag(tag.opaqueTag) ?? []),
  };
}

/** Builds the SQL condition that a row's update time satisfies the statement's `EtagCondition`. */
export function matchesEtagCondition(
  parameter: Parameter<EtagCondition>,
  updatedAt: Expression<unknown> = sql.ref("updated_at"),
) {
  return sql<boolean>`(coalesce(${updatedAt} = any(${parameter("etagOneOf")}::timestamptz[]), true)
    and ${updatedAt} <> all(${parameter("etagNoneOf")}::timestamptz[]))`;
}

/** @throws DomainError `ETAG_MISMATCH` if the resource's current etag does not satisfy the condition */
export function requireEtagMatch(
  { etagOneOf, etagNoneOf, isWeak = false, excludesAll = false }: EtagCondition,
  { etag }: { readonly etag: string },
): void {
  const time = parseEtag(etag) ?? "";
  // If-Match comes first (RFC 9110 section 13.2.2), unless no etag can satisfy If-None-Match.
  if (!excludesAll && etagOneOf?.includes(time) === false)
    throw new DomainError("ETAG_MISMATCH", { cause: isWeak ? "weak" : "changed" });
  if (excludesAll || etagNoneOf.includes(time)) throw new DomainError("ETAG_MISMATCH", { cause: "excluded" });
}

/**
 * Updates a resource if its etag satisfies a condition. Retries if a concurrent update came first.
 *
 * @param update returns undefined if the resource, or its state, did not match the statement's condition.
 * @param find returns the current resource, or throws the reason why it cannot be updated.
 * @param isDone whether the current resource already is as requested. Default: never.
 * @throws DomainError `ETAG_MISMATCH`, or an error from `find`
 */
export async function updateMatching<T extends { readonly etag: string }>(
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
