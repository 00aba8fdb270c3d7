import { DynamicTable } from "./dynamic-table.js";
import type { HeaderFields } from "./hpack-decoder.js";
import { STATIC_COUNT, STATIC_TABLE } from "./static-table.js";

/** The table is no larger, whatever a peer allows: the few fields that are kept in it take less. */
const MOST_TABLE_BYTES = 4096;

/** Frozen lists should be constants: more of them are not. */
const MAX_KNOWN_LISTS = 256;

/** Fields that have few values, over and over. All others are written out each time. */
const KEPT: ReadonlySet<string> = new Set([
  "access-control-allow-origin",
  "cache-control",
  "content-encoding",
  "content-type",
  "grpc-status",
  "server",
  "trailer",
  "vary",
]);

/** Never to be kept in a table by anyone on the way (RFC 7541 section 7.1.3). */
const SECRET: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/** RFC 9113 section 8.2.1, and what is not Latin-1. */
const NOT_ALLOWED = /[\0\r\n\u0100-\uffff]/;

const STATIC_NAMES = new Map<string, number>();
const STATIC_FIELDS = new Map<string, number>();
for (let index = STATIC_COUNT; index > 0; index--) {
  const name = STATIC_TABLE[2 * index - 2] as string;
  STATIC_NAMES.set(name, index);
  STATIC_FIELDS.set(`${name}\0${STATIC_TABLE[2 * index - 1]}`, index);
}

/**
 * Encodes the header blocks of a connection, one after the other (RFC 7541). Strings are not in Huffman's code: it saves a few
 * bytes of what is sent, and costs more time than it is worth.
 */
export class HpackEncoder {
  readonly #table = new DynamicTable(MOST_TABLE_BYTES);
  /** The sizes that the peer is still to be told of. */
  #resizes: number[] = [];
  /** The blocks of lists that are frozen and therefore the same each time. */
  readonly #known = new Map<HeaderFields, { readonly version: number; readonly block: Buffer }>();

  /** Takes the size that the peer's settings allow the table. */
  allowTableSize(size: number): void {
    const next = Math.min(size, MOST_TABLE_BYTES);
    if (next === this.#table.maxSize) return;
    // Of several sizes between two blocks, the least counts too (RFC 7541 section 4.2).
    this.#resizes = [Math.min(next, ...this.#resizes), next];
    this.#table.resize(next);
  }

  /**
   * The block of a list of fields, whose names are in lower case.
   *
   * @throws TypeError, having changed nothing, for a character that no field may have.
   */
  encode(fields: HeaderFields): Buffer {
    const known = this.#known.get(fields);
    const { version } = this.#table;
    if (known?.version === version && this.#resizes.length === 0) return known.block;
    const resizes = new Set(this.#resizes);
    for (const text of fields)
      if (NOT_ALLOWED.test(text)) throw new TypeError("a header field has a control character");
    this.#resizes = [];
    const bytes: number[] = [];
    for (const size of resizes) pushInteger(bytes, 0x20, 0x1f, size);
    for (let at = 0; at < fields.length; at += 2) this.#push(bytes, fields[at] as string, fields[at + 1] as string);
    const block = Buffer.from(bytes);
    const isSameEachTime = version === this.#table.version && resizes.size === 0 && Object.isFrozen(fields);
    if (isSameEachTime) this.#remember(fields, { version, block });
    return block;
  }

  /**
   * Writes the rest of a block, of fields that are others each time: they are written out, without a look for them in any table.
   *
   * @returns where the next byte goes; it takes `onceBytes`.
   */
  writeOnce(fields: HeaderFields, bytes: Buffer, start: number): number {
    let at = start;
    for (let index = 0; index < fields.length; index += 2) {
      const name = fields[index] as string;
      bytes[at] = SECRET.has(name) ? 0x10 : 0x00;
      at = writeString(bytes, at + 1, name);
      at = writeString(bytes, at, fields[index + 1] as string);
    }
    return at;
  }

  /** Throws a `TypeError` for a character that no field may have. */
  requireAllowed(fields: HeaderFields): void {
    if (this.#known.has(fields)) return;
    for (const text of fields) {
      if (NOT_ALLOWED.test(text)) throw new TypeError("a header field has an invalid character");
    }
  }

  #remember(fields: HeaderFields, known: { readonly version: number; readonly block: Buffer }): void {
    if (this.#known.size >= MAX_KNOWN_LISTS) this.#known.clear();
    this.#known.set(fields, known);
  }

  #push(bytes: number[], name: string, value: string): void {
    const index = STATIC_FIELDS.get(`${name}\0${value}`) ?? this.#findKept(name, value);
    if (index !== undefined) {
      pushInteger(bytes, 0x80, 0x7f, index);
      return;
    }
    const nameIndex = STATIC_NAMES.get(name) ?? 0;
    if (KEPT.has(name)) {
      pushInteger(bytes, 0x40, 0x3f, nameIndex);
      this.#table.add(name, value);
    } else {
      pushInteger(bytes, SECRET.has(name) ? 0x10 : 0x00, 0x0f, nameIndex);
    }
    if (nameIndex === 0) pushString(bytes, name);
    pushString(bytes, value);
  }

  #findKept(name: string, value: string): number | undefined {
    if (!KEPT.has(name)) return undefined;
    const index = this.#table.find(name, value);
    return index === 0 ? undefined : STATIC_COUNT + index;
  }
}

/** RFC 7541 section 5.1: `pattern` are the bits before the integer, `mask` those that it begins in. */
function pushInteger(bytes: number[], pattern: number, mask: number, value: number): void {
  if (value < mask) {
    bytes.push(pattern | value);
    return;
  }
  bytes.push(pattern | mask);
  let rest = value - mask;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  bytes.push(rest);
}

function pushString(bytes: number[], text: string): void {
  pushInteger(bytes, 0, 0x7f, text.length);
  for (let at = 0; at < text.length; at++) bytes.push(text.charCodeAt(at));
}

/** How many bytes `HpackEncoder.writeOnce` takes. */
export function onceBytes(fields: HeaderFields): number {
  let size = fields.length / 2;
  for (const text of fields) size += integerBytes(text.length) + text.length;
  return size;
}

/** Of an integer behind a bit. */
function integerBytes(value: number): number {
  let size = 1;
  for (let rest = value - 0x7f; rest >= 0; rest = rest < 128 ? -1 : Math.floor(rest / 128)) size++;
  return size;
}

function writeString(bytes: Buffer, start: number, text: string): number {
  let at = start;
  if (text.length < 0x7f) {
    bytes[at++] = text.length;
    // For so few characters, a call of what is not JavaScript would take longer.
    for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
    return at;
  }
  const length: number[] = [];
  pushInteger(length, 0, 0x7f, text.length);
  bytes.set(length, at);
  return at + length.length + bytes.write(text, at + length.length, "latin1");
}
