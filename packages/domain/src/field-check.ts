import { DomainError } from "./domain-error.js";
import type { FieldViolation } from "./field-violation.js";

/** A rule for one value: returns what is wrong, or undefined if the value is valid. */
export type FieldRule<T> = (value: T) => string | undefined;

/** Errors travel in the headers of a gRPC response, which hold a few hundred violations. */
const MAX_VIOLATIONS = 100;

/** Matches the end of the description that counts the violations which an error leaves out. */
export const OMISSION: RegExp = /, and \d+ more violations$/;

/**
 * Collects all violations of a request, so that the caller can fix them at once.
 *
 * `required` and `optional` return invalid values too; `done` throws before they are used.
 */
export class FieldCheck {
  readonly violations: FieldViolation[] = [];

  /** Checks a required field. */
  required<T>(field: string, value: T | undefined, rule: FieldRule<T>): T {
    this.report(field, value === undefined ? "is required" : rule(value));
    return value as T;
  }

  /** Checks a field that may be absent. */
  optional<T>(field: string, value: T | undefined, rule: FieldRule<T>): T | undefined {
    if (value !== undefined) this.report(field, rule(value));
    return value;
  }

  /** Checks the values of an enum in a list. Returns their names without duplicates. */
  names<V, N>(field: string, values: readonly V[], names: ReadonlyMap<V, N>, problem: string): readonly N[] {
    values.forEach((value, index) => {
      if (!names.has(value)) this.report(`${field}[${index}]`, problem);
    });
    return [...new Set(values.map((value) => names.get(value) as N))];
  }

  /** Records a violation; does nothing if `description` is undefined. */
  report(field: string, description: string | undefined): void {
    if (description !== undefined) this.violations.push({ field, description });
  }

  /**
   * Returns the parsed request.
   *
   * @throws DomainError `FIELD_INVALID` with the first 100 violations and the number of the remaining ones.
   */
  done<T>(parsed: T): T {
    if (this.violations.length > 0) throw new DomainError("FIELD_INVALID", { violations: shorten(this.violations) });
    return parsed;
  }
}

/** Truncates the violations to the limit, followed by a count of the rest. */
function shorten(violations: readonly FieldViolation[]): readonly FieldViolation[] {
  const [first, ...rest] = violations.slice(MAX_VIOLATIONS);
  if (first === undefined || rest.length === 0) return violations;
  const more = violations.length - MAX_VIOLATIONS;
  return [
    ...violations.slice(0, MAX_VIOLATIONS),
    { field: first.field, description: `${first.description}, and ${more - 1} more violations` },
  ];
}
