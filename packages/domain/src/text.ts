const MAX_TOKEN_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 1000;

/** Matches separators (`\p{Z}`), and control, format, surrogate, private-use and unassigned code points (`\p{C}`). */
const INVALID_IN_TOKEN = /[\p{Z}\p{C}]/u;

/** The rule for `account_token` and `property_token`, which are path segments: clients resolve `.` and `..` in paths (RFC 3986 section 5.2.4). */
export function findTokenProblem(token: string): string | undefined {
  return token === "." || token === ".." ? 'must not be "." or ".."' : findUnspacedTextProblem(token);
}

/** The rule for texts such as `call_id`: 1 to 255 code points, without whitespace, control, format or unassigned characters. */
export function findUnspacedTextProblem(token: string): string | undefined {
  if (token === "") return "must not be empty";
  const problem = "must not contain whitespace, control, format or unassigned characters";
  return findTextLengthProblem(token, MAX_TOKEN_LENGTH) ?? (INVALID_IN_TOKEN.test(token) ? problem : undefined);
}

const INVALID_IN_NAME = /\p{C}/u;

/**
 * The rule for names: 1 to 255 code points, or another maximum, without control, format or unassigned characters. Spaces are allowed, because
 * advertisers use them in sources and media.
 */
export function findNameProblem(name: string, maxLength = MAX_TOKEN_LENGTH): string | undefined {
  if (name === "") return "must not be empty";
  const problem = "must not contain control, format or unassigned characters";
  return findTextLengthProblem(name, maxLength) ?? (INVALID_IN_NAME.test(name) ? problem : undefined);
}

/** Matches control, surrogate and unassigned code points. Format characters are allowed in speech, because some scripts need joiners. */
const INVALID_IN_SPEECH = /[\p{Cc}\p{Cs}\p{Cn}]/u;

/**
 * The rule for texts that are spoken in calls: empty, or at most `maxLength` code points, without control or unassigned characters. A text of
 * spaces is invalid, because callers would hear nothing, not even that the call is recorded.
 */
export function findSpokenTextProblem(text: string, maxLength: number): string | undefined {
  const lengthProblem = findTextLengthProblem(text, maxLength);
  if (lengthProblem !== undefined) return lengthProblem;
  if (INVALID_IN_SPEECH.test(text)) return "must not contain control or unassigned characters";
  return text === "" || /[^\p{Z}\p{Cf}]/u.test(text) ? undefined : "must contain more than spaces";
}

const MAX_URL_LENGTH = 2000;

/** Matches whitespace, and control, format, surrogate, private-use and unassigned code points (`\p{C}`). */
const FORBIDDEN_IN_URL = /[\s\p{C}]/u;

/** The rule for the URL of a sound file, such as a recording or a prompt: an `https` URL of at most 2000 characters. */
export function findSoundUrlProblem(url: string): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  const isUsable = !FORBIDDEN_IN_URL.test(url) && URL.parse(url)?.protocol === "https:";
  return isUsable ? undefined : "must be an https URL, such as https://recordings.example/42.mp3";
}

/** The rule for the field `description`: up to 1000 code points that PostgreSQL can store. */
export function findDescriptionProblem(description: string): string | undefined {
  return findTextLengthProblem(description, MAX_DESCRIPTION_LENGTH) ?? findStorableProblem(description);
}

/**
 * Returns the problem of an id or token with which no resource can be looked up: it is empty, or not valid as PostgreSQL text. Returns undefined for
 * any other id or token.
 */
export function findLookupKeyProblem(reference: string): string | undefined {
  return reference === "" ? "must not be empty" : findStorableProblem(reference);
}

function findStorableProblem(text: string): string | undefined {
  if (text.includes("\0")) return "must not contain a NUL character";
  if (!text.isWellFormed()) return "must be well-formed Unicode";
  return undefined;
}

/** The rule for the length of a text: at most `maxLength` code points. */
export function findTextLengthProblem(text: string, maxLength: number): string | undefined {
  return longerThan(text, maxLength) ? `must have at most ${maxLength} characters` : undefined;
}

/** Counts the code points of a text only if its number of UTF-16 code units is not conclusive. */
function longerThan(text: string, codePoints: number): boolean {
  if (text.length <= codePoints) return false;
  if (text.length > 2 * codePoints) return true;
  return [...text].length > codePoints;
}
