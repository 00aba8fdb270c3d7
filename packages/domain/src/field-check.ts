import { DomainError } from "./domain-error.js";
import type { FieldViolation } from "./field-violation.js";

/** A rule over one value: what is wrong with it, or undefined if nothing is. */
export type FieldRule<T> = (value: T) => string | undefined;

/** An error travels in the headers of a gRPC response, which have room for some hundred violations. */
const MOST_VIOLATIONS = 100;

/**
 * Collects every violation of one request, so that a caller mends them all at once.
 *
 * `required` and `optional` hand the value on even where it breaks its rule; `done` throws before such a value is used.
 */
export class FieldCheck {
  readonly violations: FieldViolation[] = [];

  /** A value that must be there and keep the rule. */
  required<T>(field: string, value: T | undefined, rule: FieldRule<T>): T {
    this.report(field, value === undefined ? "is required" : rule(value));
    return value as T;
  }

  /** A value that must keep the rule if it is there. */
  optional<T>(field: string, value: T | undefined, rule: FieldRule<T>): T | undefined {
    if (value !== undefined) this.report(field, rule(value));
    return value;
  }

  /** Takes note of a violation, unless there is none. */
  report(field: string, description: string | undefined): void {
    if (description !== undefined) this.violations.push({ field, description });
  }

  /**
   * The parsed request.
   *
   * @throws DomainError `FIELD_INVALID` with every violation reported, or the first hundred and the number of the others.
   */
  done<T>(parsed: T): T {
    if (this.violations.length > 0) throw new DomainError("FIELD_INVALID", { violations: shorten(this.violations) });
    return parsed;
  }
}

/** The violations, or of too many the first ones, and how many more there are. */
function shorten(violations: readonly FieldViolation[]): readonly FieldViolation[] {
  const [first, ...rest] = violations.slice(MOST_VIOLATIONS);
  if (first === undefined || rest.length === 0) return violations;
  const more = violations.length - MOST_VIOLATIONS;
  return [
    ...violations.slice(0, MOST_VIOLATIONS),
    { field: first.field, description: `${first.description}, and ${more - 1} more violations` },
  ];
}
