/**
 * The parts of text and binary formats that are written byte by byte. Every function writes from `place` in a buffer that has room for it, and
 * returns the place behind it. Native code would be slower, because most values are short.
 */

const WORD_BYTES = 8;

/** Writes the bytes from `start` to `end` of another buffer. */
export function writeBytes(source: Uint8Array, start: number, end: number, out: Buffer, place: number): number {
  let next = place;
  for (let index = start; index < end; index++) out[next++] = source[index] as number;
  return next;
}

/** ASCII text as words of eight bytes, which take an eighth of the stores. */
export interface Words {
  readonly length: number;
  /** Without NaN, whose bits are not kept: no ASCII text has them. */
  readonly words: readonly number[];
}

/** Returns the words of ASCII text. */
export function toWords(text: string): Words {
  const words: number[] = [];
  for (let start = 0; start < text.length; start += WORD_BYTES) {
    words.push(Buffer.from(text.slice(start).padEnd(WORD_BYTES)).readDoubleLE());
  }
  return { length: text.length, words };
}

/** Writes words. Also overwrites up to seven bytes behind them. */
export function writeWords({ words, length }: Words, out: DataView, place: number): number {
  for (let index = 0; index < words.length; index++) {
    out.setFloat64(place + index * WORD_BYTES, words[index] as number, true);
  }
  return place + length;
}

/** Writes ASCII text. */
export function writeAscii(text: string, out: Buffer, place: number): number {
  for (let index = 0; index < text.length; index++) out[place + index] = text.charCodeAt(index);
  return place + text.length;
}

/** Writes an integer from -2^53 to 2^53 as a varint of up to ten bytes: https://protobuf.dev/programming-guides/encoding/#varints */
export function writeVarint(value: number, out: Buffer, place: number): number {
  if (value < 0) return writeNegativeVarint(value, out, place);
  let rest = value;
  let next = place;
  // Bitwise operations have only 32 bits.
  for (; rest > 0x7fffffff; rest = Math.floor(rest / 128)) out[next++] = (rest % 128) | 128;
  for (; rest > 127; rest >>>= 7) out[next++] = (rest & 127) | 128;
  out[next] = rest;
  return next + 1;
}

/** Writes a negative integer as the 64 bits of its two's complement, in ten bytes. */
function writeNegativeVarint(value: number, out: Buffer, place: number): number {
  let rest = BigInt.asUintN(64, BigInt(value));
  let next = place;
  for (; rest > 127n; rest >>= 7n) out[next++] = Number(rest & 127n) | 128;
  out[next] = Number(rest);
  return next + 1;
}
