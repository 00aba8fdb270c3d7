/** An error in an escaped string, with its offset. */
export interface StringError {
  readonly message: string;
  readonly offset: number;
}

/** Many characters without an unknown escape, of a number that the regular expression can remember. */
const VALID = /(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;

/**
 * Resolves the escapes of a JSON string (RFC 8259 section 7), given without its quotes and without control characters. An
 * unpaired surrogate is an error, because UTF-8, and so a protobuf string, cannot represent it.
 */
export function unescapeString(raw: string): string | StringError {
  let value: string;
  try {
    value = JSON.parse(`"${raw}"`);
  } catch {
    return { message: "an unknown escape in a string", offset: findUnknownEscape(raw) };
  }
  return value.isWellFormed() ? value : { message: "an unpaired surrogate in a string", offset: 0 };
}

function findUnknownEscape(raw: string): number {
  let end = 0;
  do {
    VALID.lastIndex = end;
    end = VALID.test(raw) ? VALID.lastIndex : end;
  } while (VALID.lastIndex > 0);
  return end;
}

/** Returns the position after the decimal digits at `start`; `start` itself if there are none. */
export function skipDigits(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); code >= 0x30 && code <= 0x39; code = text.charCodeAt(end)) {
    end++;
  }
  return end;
}
