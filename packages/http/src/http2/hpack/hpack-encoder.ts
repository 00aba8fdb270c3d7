import type { HeaderFields } from "./hpack-decoder.js";
import { STATIC_COUNT, STATIC_TABLE } from "./static-table.js";

/** Sensitive fields, which proxies must not index either (RFC 7541 section 7.1.3). */
const NEVER_INDEXED: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization", "set-cookie"]);

/** A dynamic table size update to 0. A peer that has reduced its table expects an update before the first field (RFC 7541 section 4.2). */
const NO_TABLE = 0x20;

/** The indices of the static table by name, and by name and value. */
const STATIC_NAMES = new Map<string, number>();
const STATIC_FIELDS = new Map<string, number>();
for (let index = STATIC_COUNT; index > 0; index--) {
  const name = STATIC_TABLE[2 * index - 2] as string;
  STATIC_NAMES.set(name, index);
  STATIC_FIELDS.set(`${name}\0${STATIC_TABLE[2 * index - 1]}`, index);
}

/** The blocks of frozen lists. */
const frozenBlocks = new WeakMap<HeaderFields, Buffer>();

/**
 * Encodes a list of fields as a block (RFC 7541), and caches the blocks of frozen lists. Names must be in lower case, values in Latin-1.
 * It uses no dynamic table and no Huffman codes: the bytes saved are not worth the CPU time, and all connections can share the blocks.
 */
export function encodeFields(fields: HeaderFields): Buffer {
  const cached = frozenBlocks.get(fields);
  if (cached !== undefined) return cached;
  const bytes = Buffer.allocUnsafeSlow(1 + literalBytes(fields));
  bytes[0] = NO_TABLE;
  let at = 1;
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] as string;
    const value = fields[index + 1] as string;
    const known = STATIC_FIELDS.get(`${name}\0${value}`);
    if (known === undefined) at = writeLiteral(bytes, at, STATIC_NAMES.get(name) ?? 0, name, value);
    else bytes[at++] = 0x80 | known;
  }
  const block = bytes.subarray(0, at);
  if (Object.isFrozen(fields)) frozenBlocks.set(fields, block);
  return block;
}

/**
 * Appends fields to a block as literals, without looking them up in the static table: for fields that rarely repeat. The buffer needs
 * `literalBytes(fields)` bytes.
 *
 * @returns the offset after the last byte.
 */
export function writeLiterals(fields: HeaderFields, bytes: Buffer, start: number): number {
  let at = start;
  for (let index = 0; index < fields.length; index += 2) {
    at = writeLiteral(bytes, at, 0, fields[index] as string, fields[index + 1] as string);
  }
  return at;
}

/** The number of bytes that `writeLiterals` writes. */
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

/** @param nameIndex the index of the name in the static table; 0 to write the name. */
function writeLiteral(bytes: Buffer, start: number, nameIndex: number, name: string, value: string): number {
  const at = writeInteger(bytes, start, NEVER_INDEXED.has(name) ? 0x10 : 0x00, 0x0f, nameIndex);
  return writeString(bytes, nameIndex === 0 ? writeString(bytes, at, name) : at, value);
}

/** Encodes an integer (RFC 7541 section 5.1). `pattern` has the bits before the integer; `mask` selects its bits in the first byte. */
function writeInteger(bytes: Buffer, start: number, pattern: number, mask: number, value: number): number {
  let at = start;
  bytes[at++] = pattern | Math.min(value, mask);
  if (value < mask) return at;
  let rest = value - mask;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes[at++] = (rest % 128) | 0x80;
  bytes[at++] = rest;
  return at;
}

function writeString(bytes: Buffer, start: number, text: string): number {
  let at = writeInteger(bytes, start, 0x00, 0x7f, text.length);
  if (text.length >= 0x7f) return at + bytes.write(text, at, "latin1");
  // For short strings, a loop is faster than a native call.
  for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
  return at;
}
