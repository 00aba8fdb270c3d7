/**
 * The parts of text and binary formats. Every function writes from `place` in a buffer that has room for it and seven more bytes, and returns the
 * place behind what it wrote. Native code would be slower, because most values are short.
 */

const WORD_BYTES = 8;
const ZERO = 0x30;
/** The largest power of ten below 2^31. Greater integers are divided as floating-point numbers, which takes longer. */
const BILLION = 1_000_000_000;
const BILLION_DIGITS = 9;

/** Writes the bytes from `start` to `end` of another buffer, in words of four bytes. */
export function writeBytes(source: DataView, start: number, end: number, out: DataView, place: number): number {
  const shift = place - start;
  const last = end - 4;
  if (last < start) {
    for (let index = start; index < end; index++) out.setUint8(index + shift, source.getUint8(index));
    return end + shift;
  }
  for (let index = start; index < last; index += 4) out.setInt32(index + shift, source.getInt32(index));
  // Overlaps the word before it, unless the length is a multiple of four.
  out.setInt32(last + shift, source.getInt32(last));
  return end + shift;
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
export function writeAscii(text: string, out: DataView, place: number): number {
  for (let index = 0; index < text.length; index++) out.setUint8(place + index, text.charCodeAt(index));
  return place + text.length;
}

/** Writes an integer from 0 to 2^53 in decimal digits. */
export function writeDecimal(value: number, out: DataView, place: number): number {
  if (value >= BILLION) {
    const billions = Math.floor(value / BILLION);
    return writeDigits(value - billions * BILLION, BILLION_DIGITS, out, writeDecimal(billions, out, place));
  }
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return writeDigits(value, digits, out, place);
}

/** Writes an integer below 2^31 in a fixed number of digits. */
function writeDigits(value: number, digits: number, out: DataView, place: number): number {
  let rest = value | 0;
  for (let index = place + digits - 1; index >= place; index--) {
    const tens = (rest / 10) | 0;
    out.setUint8(index, ZERO + rest - tens * 10);
    rest = tens;
  }
  return place + digits;
}

/** Writes an integer from -2^53 to 2^53 as a varint of up to ten bytes: https://protobuf.dev/programming-guides/encoding/#varints */
export function writeVarint(value: number, out: DataView, place: number): number {
  if (value < 0) return writeNegativeVarint(value, out, place);
  let next = place;
  let large = value;
  // Bitwise operations have only 32 bits.
  for (; large > 0x7fffffff; large = Math.floor(large / 128)) out.setUint8(next++, (large % 128) | 128);
  let rest = large | 0;
  for (; rest > 127; rest >>>= 7) out.setUint8(next++, (rest & 127) | 128);
  out.setUint8(next, rest);
  return next + 1;
}

/** Writes a negative integer as the 64 bits of its two's complement, in ten bytes. */
function writeNegativeVarint(value: number, out: DataView, place: number): number {
  let rest = BigInt.asUintN(64, BigInt(value));
  let next = place;
  for (; rest > 127n; rest >>= 7n) out.setUint8(next++, Number(rest & 127n) | 128);
  out.setUint8(next, Number(rest));
  return next + 1;
}
