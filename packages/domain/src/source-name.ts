import type { FieldCheck } from "./field-check.js";
import { nameProblem } from "./text.js";

/** The medium of a source that was stated without one. */
export const NO_MEDIUM = "(not set)";

const MAX_LENGTH = 255;

/** Matches most names that are already valid and normalized. A fast path, because a busy server reads 200,000 names per second. */
const PLAIN = /^[!-@[-~]{1,255}$/;

/**
 * Letters in all languages have fewer combining marks (UAX #15, stream-safe text format). Normalization sorts them in quadratic time, which
 * would take seconds for one request without this limit.
 */
const MAX_MARKS = 30;

/**
 * Returns the name of a source or medium in the form in which it is stored: in lower case, in Unicode form NFC, and trimmed. Does not convert
 * an invalid name with too many marks to NFC.
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

/** Reads and normalizes an optional name of a source or medium. */
export function readOptionalSourceName(check: FieldCheck, field: string, name: string | undefined): string | undefined {
  const given = check.optional(field, name, sourceNameProblem);
  return given && normalizeSourceName(given);
}

/** The rule for names of sources and media: `nameProblem`, which must hold after normalization too, because that can lengthen a name. */
export function sourceNameProblem(name: string): string | undefined {
  if (PLAIN.test(name)) return undefined;
  if (hasManyMarks(name) || hasManyMarks(normalizeSourceName(name)))
    return `must not contain more than ${MAX_MARKS} combining marks in a row`;
  return nameProblem(normalizeSourceName(name)) ?? nameProblem(name, Number.POSITIVE_INFINITY);
}

/** Returns a valid name for any text, without the characters that `nameProblem` rejects; empty if nothing is left. */
export function cleanSourceName(text: string): string {
  const safe = limitMarks(text.replace(/\p{C}/gu, ""));
  // Normalization can split one mark into two.
  const name = limitMarks(normalizeSourceName(safe));
  return name.length <= MAX_LENGTH ? name : [...name].slice(0, MAX_LENGTH).join("").trim();
}
