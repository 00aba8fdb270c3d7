import { DomainError, type FieldViolation } from "@calltrack/domain";
import type { Parameter } from "@calltrack/postgres";
import { entityTagsProblem, parseEntityTags } from "@calltrack/transcoding";
import { type Expression, sql } from "kysely";
import { parseEtag } from "./etag.js";

/** The condition of an update on the resource's current etag. Each etag is given as its update time, in ISO 8601. */
export interface EtagCondition {
  /** The current etag must be one of these; null for any. */
  readonly etagOneOf: readonly string[] | null;
  /** The current etag must be none of these. */
  readonly etagNoneOf: readonly string[];
  /** Whether the required etags are all weak, so that none can match. */
  readonly isWeak?: boolean;
}

/** The fields of an update request that hold its condition. */
export interface ConditionalRequest {
  readonly etag?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** Finds malformed and empty lists of etags, which would silently match nothing. The text is that of the JSON paths. */
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
 * Parses the condition of a request, by RFC 9110 sections 13.1.1 and 13.1.2. A weak tag never satisfies If-Match, but
 * counts for If-None-Match. Tags that no resource has match nothing. `findConditionViolations` has found malformed lists.
 */
export function parseEtagCondition({ etag, ifNoneMatch }: ConditionalRequest): EtagCondition {
  const wanted = etag === undefined ? "*" : (parseEntityTags(etag) ?? []);
  const unwanted = ifNoneMatch === undefined ? [] : (parseEntityTags(ifNoneMatch) ?? []);
  // An existing resource always has some etag, so If-None-Match: * never holds.
  if (unwanted === "*") return { etagOneOf: [], etagNoneOf: [] };
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

/**
 * Checks the current etag of a resource against the condition of an update.
 *
 * @throws DomainError `ETAG_MISMATCH`
 */
export function requireEtagMatch(
  { etagOneOf, etagNoneOf, isWeak = false }: EtagCondition,
  { etag }: { readonly etag: string },
): void {
  const time = parseEtag(etag) ?? "";
  if (etagOneOf?.includes(time) === false || etagNoneOf.includes(time))
    throw new DomainError("ETAG_MISMATCH", { isWeak });
}

/**
 * Updates a resource if its etag satisfies a condition. Repeats an update that another one overtook.
 *
 * @param update returns undefined if the resource, or its state, did not match the statement's condition.
 * @param find returns the current resource, or throws why it cannot be updated.
 * @param isDone whether the current resource needs no update. Default: it always does.
 * @throws DomainError `ETAG_MISMATCH`, and any error of `find`
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
