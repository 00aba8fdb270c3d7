import type { FieldCheck } from "./field-check.js";
import { nameProblem } from "./text.js";

/** The medium of a source for which nobody said one. */
export const NO_MEDIUM = "(not set)";

const MAX_LENGTH = 255;

/** Matches names that are valid and normalized already, as most are: a busy server reads 200,000 names per second. */
const PLAIN = /^[!-@[-~]{1,255}$/;

/**
 * Letters of all languages have fewer combining marks (UAX #15, stream-safe text format). Normalization sorts them, which takes quadratic time:
 * seconds for one request without this limit.
 */
const MAX_MARKS = 30;

/**
 * Returns the name of a source or medium as it is stored: lower case, NFC and trimmed, so that one source has one name. An invalid name with too
 * many marks is not normalized.
 */
export function normalizeSourceName(name: string): string {
  if (PLAIN.test(name)) return name;
  const lower = name.toLowerCase();
  return (hasManyMarks(lower) ? lower : lower.normalize("NFC")).trim();
}

function hasManyMarks(name: string): boolean {
  return limitMarks(name) !== name;
}

function limitMarks(text: string): string {
  return text.replace(/\p{M}+/gu, (marks) =>
    marks.length <= MAX_MARKS ? marks : [...marks].slice(0, MAX_MARKS).join(""),
  );
}

/** Reads and normalizes a required name of a source or medium. */
export function readSourceName(check: FieldCheck, field: string, name: string | undefined): string {
  return normalizeSourceName(check.required(field, name, sourceNameProblem) ?? "");
}

/** Reads and normalizes a name of a source or medium that may be absent. */
export function readOptionalSourceName(check: FieldCheck, field: string, name: string | undefined): string | undefined {
  const given = check.optional(field, name, sourceNameProblem);
  return given && normalizeSourceName(given);
}

/** The rule for names of sources and media: that of `nameProblem`, also after normalization, which can lengthen a name. */
export function sourceNameProblem(name: string): string | undefined {
  if (PLAIN.test(name)) return undefined;
  if (hasManyMarks(name) || hasManyMarks(normalizeSourceName(name)))
    return `must not contain more than ${MAX_MARKS} combining marks in a row`;
  return nameProblem(normalizeSourceName(name)) ?? nameProblem(name, Number.POSITIVE_INFINITY);
}

/** Makes a valid name of any text: removes what `nameProblem` rejects. Empty if nothing is left. */
export function cleanSourceName(text: string): string {
  const safe = limitMarks(text.replace(/\p{C}/gu, ""));
  // Normalization can split one mark into two.
  const name = limitMarks(normalizeSourceName(safe));
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join("").trim();
}
