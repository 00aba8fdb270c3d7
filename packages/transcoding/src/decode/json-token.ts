/** An error in an escaped string, with its offset. */
export interface StringError {
  readonly message: string;
  readonly offset: number;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/**
 * Resolves the escapes of a JSON string (RFC 8259 section 7), given without its quotes. An unpaired surrogate is an error,
 * because UTF-8, and so a protobuf string, cannot represent it.
 */
export function unescapeString(raw: string): string | StringError {
  let value = "";
  let start = 0;
  for (let at = raw.indexOf("\\"); at !== -1; at = raw.indexOf("\\", start)) {
    const letter = raw.charAt(at + 1);
    const unit = letter === "u" ? parseUnit(raw.slice(at + 2, at + 6)) : SHORT_ESCAPES[letter];
    if (unit === undefined) {
      return { message: "an unknown escape in a string", offset: at };
    }
    value += raw.slice(start, at) + unit;
    start = at + (letter === "u" ? 6 : 2);
  }
  value += raw.slice(start);
  return value.isWellFormed() ? value : { message: "an unpaired surrogate in a string", offset: 0 };
}

/** Returns the position after the decimal digits at `start`; `start` itself if there are none. */
export function skipDigits(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); code >= 0x30 && code <= 0x39; code = text.charCodeAt(end)) {
    end++;
  }
  return end;
}

function parseUnit(hex: string): string | undefined {
  return /^[0-9a-fA-F]{4}$/.test(hex) ? String.fromCharCode(Number.parseInt(hex, 16)) : undefined;
}
