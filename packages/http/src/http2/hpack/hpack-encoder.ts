import { DynamicTable } from "./dynamic-table.js";
import type { HeaderFields } from "./hpack-decoder.js";
import { STATIC_COUNT, STATIC_TABLE } from "./static-table.js";

/** Maximum size of the dynamic table, even if the peer permits more. The few indexed fields need less. */
const MAX_TABLE_BYTES = 4096;

/** Maximum number of cached blocks. Programs whose frozen lists are constants have fewer. */
const MAX_CACHED_BLOCKS = 256;

/** Fields with few different values, which are added to the dynamic table. All others are sent as literals. */
const INDEXED: ReadonlySet<string> = new Set([
  "access-control-allow-origin",
  "cache-control",
  "content-encoding",
  "content-type",
  "grpc-status",
  "server",
  "trailer",
  "vary",
]);

/** Sensitive fields, which proxies must not index either (RFC 7541 section 7.1.3). */
const NEVER_INDEXED: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/** Characters forbidden in field values (RFC 9113 section 8.2.1), and characters that are not Latin-1. */
const FORBIDDEN = /[\0\r\n\u0100-\uffff]/;

const STATIC_NAMES = new Map<string, number>();
const STATIC_FIELDS = new Map<string, number>();
for (let index = STATIC_COUNT; index > 0; index--) {
  const name = STATIC_TABLE[2 * index - 2] as string;
  STATIC_NAMES.set(name, index);
  STATIC_FIELDS.set(`${name}\0${STATIC_TABLE[2 * index - 1]}`, index);
}

/**
 * Encodes the field blocks of a connection, in their order (RFC 7541). It never uses Huffman codes, because the bytes saved are not worth
 * the CPU time.
 */
export class HpackEncoder {
  readonly #table = new DynamicTable(MAX_TABLE_BYTES);
  /** Table size updates to send with the next block. */
  #resizes: number[] = [];
  /** Cached blocks of frozen lists. A block is valid for one version of the table. */
  readonly #blocks = new Map<HeaderFields, { readonly version: number; readonly block: Buffer }>();

  /** Applies SETTINGS_HEADER_TABLE_SIZE of the peer. */
  allowTableSize(size: number): void {
    const next = Math.min(size, MAX_TABLE_BYTES);
    if (next === this.#table.maxSize) return;
    // If the size changes several times between two blocks, the smallest must be sent too (RFC 7541 section 4.2).
    this.#resizes = [Math.min(next, ...this.#resizes), next];
    this.#table.resize(next);
  }

  /**
   * Encodes a list of fields. Names must be in lower case.
   *
   * @throws TypeError if a field has forbidden characters. The table is unchanged then.
   */
  encode(fields: HeaderFields): Buffer {
    const cached = this.#blocks.get(fields);
    const { version } = this.#table;
    if (cached?.version === version && this.#resizes.length === 0) return cached.block;
    const resizes = new Set(this.#resizes);
    this.requireSendable(fields);
    this.#resizes = [];
    const bytes: number[] = [];
    for (const size of resizes) pushInteger(bytes, 0x20, 0x1f, size);
    for (let at = 0; at < fields.length; at += 2) this.#push(bytes, fields[at] as string, fields[at + 1] as string);
    const block = Buffer.from(bytes);
    const isCacheable = version === this.#table.version && resizes.size === 0 && Object.isFrozen(fields);
    if (isCacheable) this.#cache(fields, { version, block });
    return block;
  }

  /**
   * Appends fields to a block as literals, without looking them up in the tables: for fields that rarely repeat. The buffer needs
   * `literalBytes(fields)` bytes.
   *
   * @returns the offset after the last byte.
   */
  writeLiterals(fields: HeaderFields, bytes: Buffer, start: number): number {
    let at = start;
    for (let index = 0; index < fields.length; index += 2) {
      const name = fields[index] as string;
      bytes[at] = NEVER_INDEXED.has(name) ? 0x10 : 0x00;
      at = writeString(bytes, at + 1, name);
      at = writeString(bytes, at, fields[index + 1] as string);
    }
    return at;
  }

  /** Throws a `TypeError` if a field has forbidden characters. */
  requireSendable(fields: HeaderFields): void {
    if (this.#blocks.has(fields)) return;
    for (const text of fields) {
      if (FORBIDDEN.test(text)) throw new TypeError("A header field has forbidden characters.");
    }
  }

  #cache(fields: HeaderFields, cached: { readonly version: number; readonly block: Buffer }): void {
    if (this.#blocks.size >= MAX_CACHED_BLOCKS) this.#blocks.clear();
    this.#blocks.set(fields, cached);
  }

  #push(bytes: number[], name: string, value: string): void {
    const index = STATIC_FIELDS.get(`${name}\0${value}`) ?? this.#findIndexed(name, value);
    if (index !== undefined) {
      pushInteger(bytes, 0x80, 0x7f, index);
      return;
    }
    const nameIndex = STATIC_NAMES.get(name) ?? 0;
    if (INDEXED.has(name)) {
      pushInteger(bytes, 0x40, 0x3f, nameIndex);
      this.#table.add(name, value);
    } else {
      pushInteger(bytes, NEVER_INDEXED.has(name) ? 0x10 : 0x00, 0x0f, nameIndex);
    }
    if (nameIndex === 0) pushString(bytes, name);
    pushString(bytes, value);
  }

  #findIndexed(name: string, value: string): number | undefined {
    if (!INDEXED.has(name)) return undefined;
    const index = this.#table.find(name, value);
    return index === 0 ? undefined : STATIC_COUNT + index;
  }
}

/** Encodes an integer (RFC 7541 section 5.1). `pattern` has the bits before the integer; `mask` selects its bits in the first byte. */
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

/** The number of bytes that `HpackEncoder.writeLiterals` writes. */
export function literalBytes(fields: HeaderFields): number {
  let size = fields.length / 2;
  for (const text of fields) size += integerBytes(text.length) + text.length;
  return size;
}

/** The encoded size of an integer with a 7-bit prefix. */
function integerBytes(value: number): number {
  let size = 1;
  for (let rest = value - 0x7f; rest >= 0; rest = rest < 128 ? -1 : Math.floor(rest / 128)) size++;
  return size;
}

function writeString(bytes: Buffer, start: number, text: string): number {
  let at = start;
  if (text.length < 0x7f) {
    bytes[at++] = text.length;
    // For short strings, a loop is faster than a native call.
    for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
    return at;
  }
  const length: number[] = [];
  pushInteger(length, 0, 0x7f, text.length);
  bytes.set(length, at);
  return at + length.length + bytes.write(text, at + length.length, "latin1");
}
