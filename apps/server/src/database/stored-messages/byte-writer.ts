/** The largest buffer that is kept for the next message. */
const MAX_KEPT_BYTES = 1024 * 1024;
const MIN_BYTES = 16 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const FIRST_NON_ASCII = 0x80;
const MAX_VARINT_BYTES = 10;
/** The bytes of the length of a message with 128 to 16,383 bytes. */
const USUAL_LENGTH_BYTES = 2;
const COLON = 0x3a;
const POINT = 0x2e;
const ZERO = 0x30;
const Z = 0x5a;

const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("0001-01-01T00:00:00Z");
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z");
/** The length of a time with its quotes, such as `"2026-11-20T21:01:15.933Z"`. */
const TIME_BYTES = 26;

const utf8 = new TextDecoder();

/** Appends text and numbers to a buffer that grows. One buffer serves all messages, because each is written without a pause. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafeSlow(MIN_BYTES);
  #length = 0;
  /** Whether all bytes since `clear` are ASCII. */
  #isAscii = true;
  /** The day since 1970 of `#date`, which is the beginning of its times as JSON strings. */
  #day = Number.NaN;
  #date = Buffer.alloc(0);

  /** The number of bytes since `clear`. */
  get length(): number {
    return this.#length;
  }

  clear(): void {
    if (this.#bytes.length > MAX_KEPT_BYTES) this.#bytes = Buffer.allocUnsafeSlow(MIN_BYTES);
    this.#length = 0;
    this.#isAscii = true;
  }

  /** Returns the bytes as text. */
  toText(): string {
    return this.#bytes.toString(this.#isAscii ? "latin1" : "utf8", 0, this.#length);
  }

  /** Returns a copy of the bytes. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.subarray(0, this.#length));
  }

  replace(place: number, byte: number): void {
    this.#bytes[place] = byte;
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Appends ASCII text. */
  ascii(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let place = this.#length;
    for (let index = 0; index < text.length; index++) bytes[place++] = text.charCodeAt(index);
    this.#length = place;
  }

  /** Appends the bytes from `start` to `end` of another buffer. */
  copy(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start);
    const bytes = this.#bytes;
    let place = this.#length;
    // Faster than copying in native code, because most values are short.
    for (let index = start; index < end; index++) bytes[place++] = source[index] as number;
    this.#length = place;
  }

  /** Appends UTF-8 text as a JSON string. */
  jsonString(source: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start + 2);
    const bytes = this.#bytes;
    let place = this.#length;
    let highest = 0;
    bytes[place++] = QUOTE;
    for (let index = start; index < end; index++) {
      const byte = source[index] as number;
      if (byte < SPACE || byte === QUOTE || byte === BACKSLASH) {
        this.#escapedString(source, start, end);
        return;
      }
      highest |= byte;
      bytes[place++] = byte;
    }
    bytes[place++] = QUOTE;
    this.#length = place;
    if (highest >= FIRST_NON_ASCII) this.#isAscii = false;
  }

  /**
   * Appends a time as a JSON string: RFC 3339 in UTC with milliseconds.
   *
   * @throws Error outside the years 1 to 9999.
   */
  jsonTime(ms: number): void {
    const day = Math.floor(ms / DAY_MS);
    // The times of a list are often on the same day.
    if (day !== this.#day) this.#setDay(day, ms);
    this.#reserve(TIME_BYTES);
    const time = ms - day * DAY_MS;
    const bytes = this.#bytes;
    const start = this.#length;
    for (let index = 0; index < this.#date.length; index++) bytes[start + index] = this.#date[index] as number;
    const minutes = Math.floor(time / 60_000);
    const seconds = Math.floor(time / 1000);
    const hours = Math.floor(minutes / 60);
    this.#twoDigits(start + 12, hours);
    bytes[start + 14] = COLON;
    this.#twoDigits(start + 15, minutes - hours * 60);
    bytes[start + 17] = COLON;
    this.#twoDigits(start + 18, seconds - minutes * 60);
    bytes[start + 20] = POINT;
    const fraction = time - seconds * 1000;
    const hundreds = Math.floor(fraction / 100);
    bytes[start + 21] = ZERO + hundreds;
    this.#twoDigits(start + 22, fraction - hundreds * 100);
    bytes[start + 24] = Z;
    bytes[start + 25] = QUOTE;
    this.#length = start + TIME_BYTES;
  }

  /** Appends an integer from -2^53 to 2^53 as a varint: https://protobuf.dev/programming-guides/encoding/#varints */
  varint(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    const bytes = this.#bytes;
    if (value < 0) {
      this.#negativeVarint(value);
      return;
    }
    let rest = value;
    let place = this.#length;
    // Bitwise operations have only 32 bits.
    for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) bytes[place++] = (rest % 128) | 128;
    for (; rest > 127; rest >>>= 7) bytes[place++] = (rest & 127) | 128;
    bytes[place++] = rest;
    this.#length = place;
  }

  /** Appends eight bytes, the lowest first. */
  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  /** Leaves room for the length of a message. Returns where the message begins. */
  startMessage(): number {
    this.#reserve(USUAL_LENGTH_BYTES);
    this.#length += USUAL_LENGTH_BYTES;
    return this.#length;
  }

  /** Writes the length of the message that began at `start` before it, as a varint. */
  endMessage(start: number): void {
    const size = this.#length - start;
    if (size >= 1 << 7 && size < 1 << 14) {
      this.#bytes[start - 2] = (size & 127) | 128;
      this.#bytes[start - 1] = size >>> 7;
      return;
    }
    const content = Buffer.from(this.#bytes.subarray(start, this.#length));
    this.#length = start - USUAL_LENGTH_BYTES;
    this.varint(size);
    this.copy(content, 0, size);
  }

  #setDay(day: number, ms: number): void {
    const isInRange = ms >= FIRST_MS && ms <= LAST_MS;
    if (!isInRange) throw new Error(`google.protobuf.Timestamp: ${ms} ms is not within the years 1 to 9999`);
    this.#day = day;
    this.#date = Buffer.from(`"${new Date(ms).toISOString().slice(0, 11)}`);
  }

  #twoDigits(place: number, value: number): void {
    const tens = Math.floor(value / 10);
    this.#bytes[place] = ZERO + tens;
    this.#bytes[place + 1] = ZERO + value - tens * 10;
  }

  /** Appends a negative integer as the 64 bits of its two's complement, in ten bytes. */
  #negativeVarint(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    for (; rest > 127n; rest >>= 7n) this.#bytes[this.#length++] = Number(rest & 127n) | 128;
    this.#bytes[this.#length++] = Number(rest);
  }

  #escapedString(source: Uint8Array, start: number, end: number): void {
    const text = JSON.stringify(utf8.decode(source.subarray(start, end)));
    this.#reserve(text.length * 3);
    const written = this.#bytes.write(text, this.#length);
    this.#length += written;
    if (written > text.length) this.#isAscii = false;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
