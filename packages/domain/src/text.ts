const LONGEST_TOKEN = 255;
const LONGEST_DESCRIPTION = 1000;

/** `\p{Z}` is every separator; `\p{C}` is control, format, surrogate, private-use and unassigned. */
const REFUSED_IN_TOKEN = /[\p{Z}\p{C}]/u;

/**
 * The rule of `account_token` and `property_token`: 1 to 255 code points, none of them whitespace, control, format or
 * unassigned.
 */
export function tokenProblem(token: string): string | undefined {
  if (token === "") return "must not be empty";
  if (longerThan(token, LONGEST_TOKEN)) return `must have at most ${LONGEST_TOKEN} characters`;
  if (REFUSED_IN_TOKEN.test(token)) return "must not contain whitespace, control, format or unassigned characters";
  return undefined;
}

const REFUSED_IN_NAME = /\p{C}/u;

/**
 * The rule of the name of a source, a medium or an event: 1 to 255 code points, none of them control, format or unassigned.
 * It may have spaces, as advertisers' names do.
 */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (longerThan(name, LONGEST_TOKEN)) return `must have at most ${LONGEST_TOKEN} characters`;
  return REFUSED_IN_NAME.test(name) ? "must not contain control, format or unassigned characters" : undefined;
}

/** The rule of `description`: up to 1000 code points that PostgreSQL can store as they are. */
export function descriptionProblem(description: string): string | undefined {
  if (longerThan(description, LONGEST_DESCRIPTION)) return `must have at most ${LONGEST_DESCRIPTION} characters`;
  return storableProblem(description);
}

/** The rule of a name that is only looked up: not empty, and nothing that PostgreSQL cannot take as text. */
export function referenceProblem(reference: string): string | undefined {
  return reference === "" ? "must not be empty" : storableProblem(reference);
}

function storableProblem(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain a NUL character";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return undefined;
}

/** Counts code points, and no further than needed. */
function longerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}
