import type { WireValue } from "./driver-internals.js";

/** Codes of client messages, the binary format of values, and the code of a portal in Describe. */
const PARSE = 0x50;
const BIND = 0x42;
const DESCRIBE = 0x44;
const EXECUTE = 0x45;
const SYNC = 0x53;
const BINARY = 1;
const PORTAL = 0x50;

const INITIAL_BYTES = 8 * 1024;

/** A UTF-16 unit takes at most three bytes of UTF-8; the two of a character beyond 0xffff take four. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Buffers messages of the extended query protocol, so that they can be sent together. Each statement uses the unnamed portal,
 * which the next Bind replaces.
 *
 * See https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY
 */
export class FrontendMessages {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** Removes the buffered messages and returns their bytes. */
  take(): Buffer {
    const taken = Buffer.allocUnsafe(this.#length);
    this.#bytes.copy(taken, 0, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Adds a Parse of a statement, whose name may be empty. The server infers the types of its parameters. */
  parse(name: string, text: string): void {
    const start = this.#begin(PARSE);
    this.#text(name);
    this.#text(text);
    this.#int16(0);
    this.#end(start);
  }

  /**
   * @param formats the formats of the result columns as Bind sends them: their number, then 0 (text) or 1 (binary) for each.
   */
  bind(name: string, values: readonly WireValue[], formats: Buffer): void {
    const start = this.#begin(BIND);
    this.#text("");
    this.#text(name);
    this.#formatsOf(values);
    this.#int16(values.length);
    for (const value of values) this.#value(value);
    this.#reserve(formats.length);
    this.#length += formats.copy(this.#bytes, this.#length);
    this.#end(start);
  }

  /** Requests a description of the result columns. */
  describe(): void {
    const start = this.#begin(DESCRIBE);
    this.#reserve(1);
    this.#bytes[this.#length++] = PORTAL;
    this.#text("");
    this.#end(start);
  }

  /** Runs the bound statement and, unless it fails, commits it. */
  executeAndSync(): void {
    const start = this.#begin(EXECUTE);
    this.#text("");
    this.#int32(0);
    this.#end(start);
    this.#end(this.#begin(SYNC));
  }

  #begin(type: number): number {
    this.#reserve(5);
    this.#bytes[this.#length] = type;
    const start = this.#length + 1;
    this.#length += 5;
    return start;
  }

  #end(start: number): void {
    this.#bytes.writeInt32BE(this.#length - start, start);
  }

  /** Sends all values as text, except bytes. */
  #formatsOf(values: readonly WireValue[]): void {
    const areTexts = !values.some(Buffer.isBuffer);
    this.#int16(areTexts ? 0 : values.length);
    if (!areTexts) for (const value of values) this.#int16(Buffer.isBuffer(value) ? BINARY : 0);
  }

  #value(value: WireValue): void {
    const start = this.#length;
    this.#int32(-1);
    if (value === null) return;
    if (typeof value === "string") {
      this.#reserve(value.length * MAX_BYTES_PER_UNIT);
      this.#length += this.#bytes.write(value, this.#length);
    } else {
      this.#reserve(value.length);
      this.#length += value.copy(this.#bytes, this.#length);
    }
    this.#bytes.writeInt32BE(this.#length - start - 4, start);
  }

  /** Writes a zero-terminated string. */
  #text(text: string): void {
    this.#reserve(text.length * MAX_BYTES_PER_UNIT + 1);
    if (text !== "") this.#length += this.#bytes.write(text, this.#length);
    this.#bytes[this.#length++] = 0;
  }

  #int16(value: number): void {
    this.#reserve(2);
    this.#length = this.#bytes.writeInt16BE(value, this.#length);
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#length = this.#bytes.writeInt32BE(value, this.#length);
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#length + length));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
