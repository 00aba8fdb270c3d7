import { ConnectionError, ErrorCode } from "../http2-error.js";
import { DynamicTable, fieldSize } from "./dynamic-table.js";
import { decodeHuffman } from "./huffman.js";
import { STATIC_COUNT, STATIC_TABLE } from "./static-table.js";

/** The greatest integer that is read: more is no length and no index. */
const MAX_INTEGER = 2 ** 24;

/** A list of more is not kept until the next block comes, which may be never: names and values, each counted. */
export const MOST_KEPT_FIELDS = 100;

/** Header fields, names and values in turn. */
export type HeaderFields = readonly string[];

/** Decodes the header blocks of a connection, one after the other (RFC 7541). */
export class HpackDecoder {
  readonly #table: DynamicTable;
  readonly #tableSize: number;
  readonly #maxListSize: number;
  #block: Buffer = Buffer.alloc(0);
  #at = 0;
  #last: { readonly block: Buffer; readonly version: number; readonly fields: HeaderFields } | undefined;
  #isTruncated = false;

  /**
   * @param tableSize the greatest size of the dynamic table, as the settings have told the peer.
   * @param maxListSize the greatest size of a list (RFC 9113 section 6.5.2).
   */
  constructor(tableSize: number, maxListSize: number) {
    this.#table = new DynamicTable(tableSize);
    this.#tableSize = tableSize;
    this.#maxListSize = maxListSize;
  }

  /** Whether the list of the last block was too large, so that only the fields that fit were returned. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /**
   * Decodes the fields of a block. Of a list that is too large it returns the fields that fit, see `isTruncated`, and the table is
   * up to date as after any block. The list is the same object for equal blocks, as most are on a connection: do not change it.
   *
   * @throws ConnectionError COMPRESSION_ERROR
   */
  decode(block: Buffer): HeaderFields {
    const last = this.#last;
    if (last !== undefined && last.version === this.#table.version && last.block.equals(block)) {
      this.#isTruncated = false;
      return last.fields;
    }
    const { version } = this.#table;
    const fields = this.#decodeBlock(block);
    if (!this.#isTruncated && fields.length <= MOST_KEPT_FIELDS && version === this.#table.version) {
      this.#last = { block: Buffer.from(block), version, fields };
    }
    return fields;
  }

  #decodeBlock(block: Buffer): HeaderFields {
    this.#block = block;
    this.#at = 0;
    this.#isTruncated = false;
    const fields: string[] = [];
    let size = 0;
    let hasField = false;
    while (this.#at < block.length) {
      const first = block[this.#at] as number;
      let name: string;
      let value: string;
      if (first >= 0x80) {
        const index = this.#readInteger(0x7f);
        name = this.#name(index);
        value = this.#value(index);
      } else if ((first & 0xe0) === 0x20) {
        if (hasField) throw malformed("the table size must be updated before the first field");
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
    if (size > this.#tableSize) throw malformed("the table size exceeds the limit");
    this.#table.resize(size);
  }

  #name(index: number): string {
    if (index === 0 || index > STATIC_COUNT + this.#table.count) throw malformed("the field index is out of range");
    return index <= STATIC_COUNT ? (STATIC_TABLE[2 * index - 2] as string) : this.#table.name(index - STATIC_COUNT);
  }

  #value(index: number): string {
    return index <= STATIC_COUNT ? (STATIC_TABLE[2 * index - 1] as string) : this.#table.value(index - STATIC_COUNT);
  }

  /** RFC 7541 section 5.1. `mask` has the bits of the first byte that belong to the integer. */
  #readInteger(mask: number): number {
    let value = this.#readByte() & mask;
    if (value < mask) return value;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#readByte();
      value += (byte & 0x7f) * scale;
      if (value > MAX_INTEGER || scale > MAX_INTEGER) throw malformed("an integer is too large");
      if (byte < 0x80) return value;
    }
  }

  /** RFC 7541 section 5.2. */
  #readString(): string {
    const isHuffman = (this.#block[this.#at] ?? 0) >= 0x80;
    const length = this.#readInteger(0x7f);
    const start = this.#at;
    const end = start + length;
    if (end > this.#block.length) throw malformed("a string ends early");
    this.#at = end;
    return isHuffman ? decodeHuffman(this.#block, start, end) : this.#block.toString("latin1", start, end);
  }

  #readByte(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw malformed("a block ends early");
    this.#at += 1;
    return byte;
  }
}

function malformed(message: string): ConnectionError {
  return new ConnectionError(ErrorCode.COMPRESSION_ERROR, message);
}
