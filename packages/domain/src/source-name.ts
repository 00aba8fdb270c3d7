import type { FieldCheck } from "./field-check.js";
import { findNameProblem } from "./text.js";

/** The medium of a source that was stated without a medium. */
export const NO_MEDIUM = "(not set)";

const MAX_LENGTH = 255;

/** Matches most names that are already valid and normalized. This makes them fast to check: a busy server reads 200,000 names per second. */
const PLAIN = /^[!-@[-~]{1,255}$/;

/**
 * Letters in all languages have at most this many combining marks (UAX #15, stream-safe text format). Normalization sorts the marks in
 * quadratic time, which would take seconds for one request without this limit.
 */
const MAX_MARKS = 30;

/**
 * Returns the name of a source or medium as it is stored: in lower case, in Unicode form NFC, and trimmed. Does not convert a name to NFC if it
 * is invalid because it has too many combining marks.
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
  return normalizeSourceName(check.required(field, name, findSourceNameProblem) ?? "");
}

/** Reads and normalizes an optional name of a source or medium. */
export function readOptionalSourceName(check: FieldCheck, field: string, name: string | undefined): string | undefined {
  const given = check.optional(field, name, findSourceNameProblem);
  return given && normalizeSourceName(given);
}

/** The rule for the name of a source or medium. Applies `findNameProblem` after normalization too, because normalization can lengthen a name. */
export function findSourceNameProblem(name: string): string | undefined {
  if (PLAIN.test(name)) return undefined;
  if (hasManyMarks(name) || hasManyMarks(normalizeSourceName(name)))
    return `must not contain more than ${MAX_MARKS} combining marks in a row`;
  return findNameProblem(normalizeSourceName(name)) ?? findNameProblem(name, Number.POSITIVE_INFINITY);
}

/** Converts any text to a valid name of a source or medium. Removes the characters that `findNameProblem` rejects; empty if none is left. */
export function cleanSourceName(text: string): string {
  const safe = limitMarks(text.replace(/\p{C}/gu, ""));
  // Normalization can split one combining mark into two.
  const name = limitMarks(normalizeSourceName(safe));
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join("").trim();
}
