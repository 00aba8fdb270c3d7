import { DomainError } from "./domain-error.js";
import type { FieldViolation } from "./field-violation.js";

/** A rule for the value of a field: returns what is wrong with the value, or undefined if it is valid. */
export type FieldRule<T> = (value: T) => string | undefined;

/** Limited because errors are sent in the headers of gRPC responses, which have room for a few hundred violations. */
const MAX_VIOLATIONS = 100;

/** Matches the end of the last violation's description in an error that omits further violations. */
export const OMITTED_VIOLATIONS_PATTERN: RegExp = /, and \d+ more violations$/;

/**
 * Collects all invalid fields of a request, so that its sender can correct them at once.
 *
 * `required` and `optional` return even invalid values: call `done` before you use any value.
 */
export class FieldCheck {
  readonly violations: FieldViolation[] = [];

  required<T>(field: string, value: T | undefined, rule: FieldRule<T>): T {
    this.report(field, value === undefined ? "is required" : rule(value));
    return value as T;
  }

  /** Checks the value of a field against a rule, unless the field is unset. Returns the value even if it is invalid. */
  optional<T>(field: string, value: T | undefined, rule: FieldRule<T>): T | undefined {
    if (value !== undefined) this.report(field, rule(value));
    return value;
  }

  /** Checks that each enum value in a list has a name. Returns the names without duplicates. */
  names<V, N>(field: string, values: readonly V[], names: ReadonlyMap<V, N>, problem: string): readonly N[] {
    values.forEach((value, index) => {
      if (!names.has(value)) this.report(`${field}[${index}]`, problem);
    });
    return [...new Set(values.map((value) => names.get(value) as N))];
  }

  /** Records a violation. Does nothing if `description` is undefined. */
  report(field: string, description: string | undefined): void {
    if (description !== undefined) this.violations.push({ field, description });
  }

  /**
   * Returns the parsed request if no violation was recorded.
   *
   * @throws DomainError `FIELD_INVALID` with the first 100 violations and the number of the remaining ones.
   */
  done<T>(parsed: T): T {
    if (this.violations.length > 0) throw new DomainError("FIELD_INVALID", { violations: shorten(this.violations) });
    return parsed;
  }
}

/** Truncates the violations to the limit. The last violation then says how many others are omitted. */
function shorten(violations: readonly FieldViolation[]): readonly FieldViolation[] {
  const [first, ...rest] = violations.slice(MAX_VIOLATIONS);
  if (first === undefined || rest.length === 0) return violations;
  const more = violations.length - MAX_VIOLATIONS;
  return [
    ...violations.slice(0, MAX_VIOLATIONS),
    { field: first.field, description: `${first.description}, and ${more - 1} more violations` },
  ];
}
