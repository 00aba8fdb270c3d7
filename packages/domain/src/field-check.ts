import { DomainError } from "./domain-error.js";
import type { FieldViolation } from "./field-violation.js";

/** A rule over one value: what is wrong with it, or undefined if nothing is. */
export type FieldRule<T> = (value: T) => string | undefined;

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
   * @throws DomainError `FIELD_INVALID` with every violation reported.
   */
  done<T>(parsed: T): T {
    if (this.violations.length > 0) throw new DomainError("FIELD_INVALID", { violations: this.violations });
    return parsed;
  }
}
