import { RequestError } from "../http/request-error.js";

export type JsonValueKind = "object" | "array" | "string" | "number" | "boolean" | "null";

/** The state of a reader before a value, which `rewind` restores. */
export interface ReaderMark {
  readonly position: number;
  readonly depth: number;
}

/** Maximum nesting depth of a request, which is the same as in other implementations of protobuf. */
export const MAX_JSON_DEPTH = 100;

/**
 * A pull parser for JSON (RFC 8259). Get the kind of the next value from `kind`, and then call the method that reads this kind. The parser preserves
 * the order of members, duplicate members, and the digits of numbers.
 *
 * Every method throws a `RequestError` with reason `BODY_MALFORMED` if the text is not JSON, is nested more than 100 levels deep, or contains an
 * unpaired surrogate, which a protobuf string cannot contain. The error's message names line and column.
 */
export class JsonReader {
  readonly #text: string;
  readonly #onValue: (isRepeated: boolean) => void;
  #position = 0;
  #depth = 0;
  /** The end of the text that was read before `rewind`. */
  #knownEnd = 0;

  /**
   * @param onValue called before each member of an object and each item of an array is read. `isRepeated` is true if it was already read before
   *   `rewind`.
   */
  constructor(text: string, onValue: (isRepeated: boolean) => void = () => {}) {
    this.#text = text;
    this.#onValue = onValue;
  }

  get mark(): ReaderMark {
    return { position: this.#position, depth: this.#depth };
  }

  /** Moves back to an earlier position. */
  rewind({ position, depth }: ReaderMark): void {
    this.#knownEnd = Math.max(this.#knownEnd, this.#position);
    this.#position = position;
    this.#depth = depth;
  }

  /** Returns the kind of the next value. Returns `number` for text that cannot start a value, so that `readNumber` rejects the text. */
  kind(): JsonValueKind {
    switch (this.#skipSpace()) {
      case 0x22: // "
        return "string";
      case 0x7b: // {
        return "object";
      case 0x5b: // [
        return "array";
      case 0x74: // t
      case 0x66: // f
        return "boolean";
      case 0x6e: // n
        return "null";
      default:
        return "number";
    }
  }

  /** Enters an object or an array. Then read the members with `nextKey`, or the items with `nextItem`. */
  open(): void {
    if (++this.#depth > MAX_JSON_DEPTH) {
      throw this.#malformed(`the body is nested more than ${MAX_JSON_DEPTH} levels deep`, this.#position);
    }
    this.#position++;
  }

  /** Reads the key of the next member. At the end of the object, moves past the object and returns undefined. */
  nextKey(first: boolean): string | undefined {
    if (!this.#next(first, 0x7d, '"}"')) {
      return undefined;
    }
    if (this.#skipSpace() !== 0x22) {
      throw this.#expected("a key in double quotes");
    }
    const key = this.readString();
    if (this.#skipSpace() !== 0x3a) {
      throw this.#expected('":"');
    }
    this.#position++;
    return key;
  }

  /** Moves to the next item and returns true. At the end of the array, moves past the array and returns false. */
  nextItem(first: boolean): boolean {
    return this.#next(first, 0x5d, '"]"');
  }

  readString(): string {
    const text = this.#text;
    const start = this.#position + 1;
    let end = start;
    let escaped = false;
    for (let code = text.charCodeAt(end); code !== 0x22; code = text.charCodeAt(end)) {
      if (code === 0x5c) {
        escaped = true;
        end++;
      } else if (!(code >= 0x20)) {
        throw this.#badString(end);
      }
      end++;
    }
    this.#position = end + 1;
    const raw = text.slice(start, end);
    return escaped ? this.#unescape(raw, start) : raw;
  }

  /** Reads a number and returns its text. */
  readNumber(): string {
    const start = this.#position;
    const text = this.#text;
    const integer = text.charCodeAt(start) === 0x2d ? start + 1 : start;
    let end = text.charCodeAt(integer) === 0x30 ? integer + 1 : skipDigits(text, integer);
    if (end === integer) {
      throw this.#expected("a value");
    }
    if (text.charCodeAt(end) === 0x2e) {
      end = this.#requireDigits(end + 1);
    }
    if ((text.charCodeAt(end) | 0x20) === 0x65) {
      const sign = text.charCodeAt(end + 1);
      end = this.#requireDigits(sign === 0x2b || sign === 0x2d ? end + 2 : end + 1);
    }
    this.#position = end;
    return text.slice(start, end);
  }

  readBoolean(): boolean {
    const value = this.#text.charCodeAt(this.#position) === 0x74;
    this.#readWord(value ? "true" : "false");
    return value;
  }

  readNull(): void {
    this.#readWord("null");
  }

  skipValue(): void {
    const kind = this.kind();
    if (kind === "object") {
      this.open();
      for (let key = this.nextKey(true); key !== undefined; key = this.nextKey(false)) this.skipValue();
    } else if (kind === "array") {
      this.open();
      for (let more = this.nextItem(true); more; more = this.nextItem(false)) this.skipValue();
    } else if (kind === "string") this.readString();
    else if (kind === "number") this.readNumber();
    else if (kind === "boolean") this.readBoolean();
    else this.readNull();
  }

  /** Throws a `RequestError` unless only white space remains. */
  readEnd(): void {
    this.#skipSpace();
    if (this.#position < this.#text.length) {
      throw this.#expected("the end of the body");
    }
  }

  #next(first: boolean, close: number, closeName: string): boolean {
    const code = this.#skipSpace();
    if (code === close) {
      this.#position++;
      this.#depth--;
      return false;
    }
    this.#onValue(this.#position < this.#knownEnd);
    if (first) {
      return true;
    }
    if (code !== 0x2c) {
      throw this.#expected(`"," or ${closeName}`);
    }
    this.#position++;
    return true;
  }

  /** Skips white space and returns the code unit after it; NaN at the end of the text. */
  #skipSpace(): number {
    const text = this.#text;
    let position = this.#position;
    let code = text.charCodeAt(position);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) code = text.charCodeAt(++position);
    this.#position = position;
    return code;
  }

  #readWord(word: string): void {
    if (!this.#text.startsWith(word, this.#position)) {
      throw this.#expected("a value");
    }
    this.#position += word.length;
  }

  #requireDigits(start: number): number {
    const end = skipDigits(this.#text, start);
    if (end === start) {
      this.#position = start;
      throw this.#expected("a digit");
    }
    return end;
  }

  /** Resolves the escapes in a string (RFC 8259 section 7). Rejects an unpaired surrogate, because UTF-8 and protobuf strings cannot represent it. */
  #unescape(raw: string, start: number): string {
    let value: string;
    try {
      value = JSON.parse(`"${raw}"`);
    } catch {
      const position = start + findUnknownEscape(raw);
      throw this.#malformed("the body is not valid JSON: a string contains an unknown escape", position);
    }
    if (value.isWellFormed()) return value;
    throw this.#malformed("the body is not valid JSON: a string contains an unpaired surrogate", start);
  }

  #badString(position: number): RequestError {
    return position < this.#text.length
      ? this.#malformed("the body is not valid JSON: a control character in a string must be escaped", position)
      : this.#malformed("the body is not valid JSON: a string has no closing quote", this.#position);
  }

  #expected(what: string): RequestError {
    const early = this.#position < this.#text.length ? "" : "it ends too early, ";
    return this.#malformed(`the body is not valid JSON: ${early}expected ${what}`, this.#position);
  }

  #malformed(message: string, position: number): RequestError {
    // Counts lines and columns character by character, because splitting a large body could create millions of strings.
    let line = 1;
    let column = 1;
    for (let at = 0; at < position; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x0a) {
        line++;
        column = 1;
      } else if ((code & 0xfc00) !== 0xdc00) column++;
    }
    return new RequestError("BODY_MALFORMED", `${message} at line ${line}, column ${column}`);
  }
}

/** Matches up to 1000 characters of a string that contain no unknown escape. The limit keeps the memory for backtracking small. */
const VALID = /(?:[^\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})){1,1000}/y;

function findUnknownEscape(raw: string): number {
  let end = 0;
  do {
    VALID.lastIndex = end;
    end = VALID.test(raw) ? VALID.lastIndex : end;
  } while (VALID.lastIndex > 0);
  return end;
}

/** Returns the position after the decimal digits that begin at `start`. Returns `start` if there are none. */
function skipDigits(text: string, start: number): number {
  let end = start;
  for (let code = text.charCodeAt(end); code >= 0x30 && code <= 0x39; code = text.charCodeAt(end)) {
    end++;
  }
  return end;
}
