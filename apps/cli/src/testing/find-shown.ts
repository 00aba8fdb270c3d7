/** Matches UUIDs and times anywhere in a text, for example inside paths. */
const VARYING_TEXT = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g;

/** Fields whose values depend on earlier changes to the database. */
const VARYING_FIELD = /^(?:.*_)?id$|^position$/;

/**
 * Finds the JSON object that a page shows in the output of a command. The object may be a line of the output, or an item of a list in such a line.
 *
 * Ids and times may differ, and the page may omit fields. Returns undefined if the output has no such object.
 */
export function findShown(output: string, shown: unknown): unknown {
  const printed = output.split("\n").flatMap((line) => (/^[[{]/.test(line) ? [readJson(line)].flat() : []));
  return printed.find((value) => contains(mask(value), mask(shown)));
}

/** Reads the JSON at the beginning of a line. `curl` ends its output without a line feed, so the output of the next command can follow. */
function readJson(line: string): unknown {
  const ends = Array.from(line.matchAll(/[\]}]/g), ({ index }) => index + 1).toReversed();
  for (const end of ends) {
    try {
      return JSON.parse(line.slice(0, end));
    } catch {
      // This closing bracket is inside a string or belongs to the next output, so the loop tries the bracket before it.
    }
  }
  throw new Error(`malformed JSON: ${line}`);
}

/** Replaces ids, positions and times with their types, because their values differ in each run. */
function mask(value: unknown): unknown {
  const replace = (key: string, member: unknown) => {
    if (VARYING_FIELD.test(key) && member !== null) return typeof member;
    return typeof member === "string"
      ? member.replace(VARYING_TEXT, (text) => (text[8] === "-" ? "UUID" : "TIME"))
      : member;
  };
  return JSON.parse(JSON.stringify(value, replace));
}

function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return value === part;
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(part).every(([key, member]) => contains((value as Record<string, unknown>)[key], member));
}
