import { ConnectionError, ErrorCode } from "../http2-error.js";
import { DynamicTable, fieldSize } from "./dynamic-table.js";
import { decodeHuffman } from "./huffman.js";
import { STATIC_COUNT, STATIC_TABLE } from "./static-table.js";

/** The maximum decoded integer. No valid length or index is larger. */
const MAX_INTEGER = 2 ** 24;

/** Longer lists are not cached, because idle connections would keep them in memory. Counts names and values separately. */
export const MAX_CACHED_FIELDS = 100;

/** Header fields: alternates names and values. */
export type HeaderFields = readonly string[];

/** Decodes the field blocks of a connection, in their order (RFC 7541). */
export class HpackDecoder {
  readonly #table: DynamicTable;
  readonly #tableSize: number;
  readonly #maxListSize: number;
  #block: Buffer = Buffer.alloc(0);
  #position = 0;
  #cached: { readonly block: Buffer; readonly version: number; readonly fields: HeaderFields } | undefined;
  #isTruncated = false;

  /**
   * @param tableSize maximum size of the dynamic table, as advertised in SETTINGS.
   * @param maxListSize maximum size of a list (RFC 9113 section 6.5.2).
   */
  constructor(tableSize: number, maxListSize: number) {
    this.#table = new DynamicTable(tableSize);
    this.#tableSize = tableSize;
    this.#maxListSize = maxListSize;
  }

  /** Whether the last list exceeded the maximum size, so that `decode` returned only the fields that fit. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /**
   * Decodes a block. If the list exceeds the maximum size, returns the fields that fit and sets `isTruncated`; the table is still updated.
   * Equal blocks in succession may return the same list: do not modify it.
   *
   * @throws ConnectionError with COMPRESSION_ERROR if the block is malformed.
   */
  decode(block: Buffer): HeaderFields {
    const cached = this.#cached;
    if (cached !== undefined && cached.version === this.#table.version && cached.block.equals(block)) {
      this.#isTruncated = false;
      return cached.fields;
    }
    const { version } = this.#table;
    const fields = this.#decodeBlock(block);
    if (!this.#isTruncated && fields.length <= MAX_CACHED_FIELDS && version === this.#table.version) {
      this.#cached = { block: Buffer.from(block), version, fields };
    }
    return fields;
  }

  #decodeBlock(block: Buffer): HeaderFields {
    this.#block = block;
    this.#position = 0;
    this.#isTruncated = false;
    const fields: string[] = [];
    let size = 0;
    let hasField = false;
    while (this.#position < block.length) {
      const first = block[this.#position] as number;
      let name: string;
      let value: string;
      if (first >= 0x80) {
        const index = this.#readInteger(0x7f);
        name = this.#name(index);
        value = this.#value(index);
      } else if ((first & 0xe0) === 0x20) {
        if (hasField) throw malformed("a table size update must precede all fields");
        this.#resize(this.#readInteger(0x1f));
        continue;
      } else {
        const isAdded = first >= 0x40;
        const index = this.#readInteger(isAdded ? 0x3f : 0x0f);
        name = index === 0 ? this.#readString() : this.#name(index);
        value = this.#readString();
        if (isAdded) this.#table.add(name, value);
      }
      hasField = true;
      const bytes = fieldSize(name, value);
      if (size + bytes > this.#maxListSize) {
        this.#isTruncated = true;
        continue;
      }
      size += bytes;
      fields.push(name, value);
    }
    return fields;
  }

  #resize(size: number): void {
    if (size > this.#tableSize) throw malformed("the table size exceeds SETTINGS_HEADER_TABLE_SIZE");
    this.#table.resize(size);
  }

  #name(index: number): string {
    if (index === 0 || index > STATIC_COUNT + this.#table.count) throw malformed("the index exceeds the tables");
    return index <= STATIC_COUNT ? (STATIC_TABLE[2 * index - 2] as string) : this.#table.name(index - STATIC_COUNT);
  }

  #value(index: number): string {
    return index <= STATIC_COUNT ? (STATIC_TABLE[2 * index - 1] as string) : this.#table.value(index - STATIC_COUNT);
  }

  /** Reads an integer (RFC 7541 section 5.1). `mask` selects its bits in the first byte. */
  #readInteger(mask: number): number {
    let value = this.#readByte() & mask;
    if (value < mask) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#readByte();
      value += (byte & 0x7f) * scale;
      if (value > MAX_INTEGER || scale > MAX_INTEGER) throw malformed("the integer is too large");
      if (byte < 0x80) return value;
    }
  }

  /** Reads a string literal (RFC 7541 section 5.2). */
  #readString(): string {
    const isHuffman = (this.#block[this.#position] ?? 0) >= 0x80;
    const length = this.#readInteger(0x7f);
    const start = this.#position;
    const end = start + length;
    if (end > this.#block.length) throw malformed("the string is incomplete");
    this.#position = end;
    return isHuffman ? decodeHuffman(this.#block, start, end) : this.#block.toString("latin1", start, end);
  }

  #readByte(): number {
    const byte = this.#block[this.#position];
    if (byte === undefined) throw malformed("the block is incomplete");
    this.#position += 1;
    return byte;
  }
}

function malformed(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.COMPRESSION_ERROR, message);
}
