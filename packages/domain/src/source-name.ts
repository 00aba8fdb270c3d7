import type { FieldCheck } from "./field-check.js";
import { nameProblem } from "./text.js";

const MAX_LENGTH = 255;

/** Matches names that are valid and normalized already, as most are: a busy server reads 200,000 names per second. */
const PLAIN = /^[!-@[-~]{1,255}$/;

/**
 * More marks than letters of any language have (UAX #15, stream-safe text format). Normalization sorts them, which takes quadratic time:
 * seconds for one request.
 */
const MANY_MARKS = /(\p{M}{30})\p{M}+/gu;

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
  return name.search(MANY_MARKS) !== -1;
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
    return "must not contain more than 30 combining marks in a row";
  return nameProblem(normalizeSourceName(name)) ?? nameProblem(name, Number.POSITIVE_INFINITY);
}

/** Makes a valid name of any text: removes what `nameProblem` rejects. Empty if nothing is left. */
export function cleanSourceName(text: string): string {
  const safe = text.replace(/\p{C}/gu, "").replace(MANY_MARKS, "$1");
  // Normalization can split one mark into two.
  const name = normalizeSourceName(safe).replace(MANY_MARKS, "$1");
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join("").trim();
}
