import { ConnectionError, ErrorCode } from "../http2-error.js";

/**
 * The code lengths of all bytes, in bits (RFC 7541 appendix B). They determine the codes, because the code is canonical: codes are assigned
 * in order of length, then of byte.
 */
const CODE_LENGTHS: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26,
];

const SHORTEST_CODE_BITS = 5;
const MAX_PADDING_BITS = 7;

/**
 * The decoding tree, which consumes eight bits per step. Each node is a table of 256 entries. A positive entry is the next node. A negative
 * entry is ~(decoded byte << 4 | number of bits used). An entry of 0 marks an invalid code.
 */
const TREE = createTree();

/** Decodes a string. Throws a `ConnectionError` if a code or the padding is invalid. */
export function decodeHuffman(bytes: Buffer, start: number, end: number): string {
  const decoded = Buffer.allocUnsafe(Math.floor(((end - start) * 8) / SHORTEST_CODE_BITS));
  let length = 0;
  let bits = 0;
  let count = 0;
  let node = 0;
  /** Bits since the last complete code. */
  let open = 0;
  for (let at = start; at < end; at++) {
    bits = ((bits << 8) | (bytes[at] as number)) & 0xffff;
    count += 8;
    open += 8;
    while (count >= 8) {
      const entry = TREE[(node << 8) | ((bits >> (count - 8)) & 0xff)] as number;
      if (entry === 0) throw malformed();
      if (entry > 0) {
        node = entry;
        count -= 8;
      } else {
        decoded[length++] = ~entry >> 4;
        count -= ~entry & 0xf;
        open = count;
        node = 0;
      }
    }
  }
  while (count > 0) {
    const entry = TREE[(node << 8) | ((bits << (8 - count)) & 0xff)] as number;
    if (entry >= 0 || (~entry & 0xf) > count) break;
    decoded[length++] = ~entry >> 4;
    count -= ~entry & 0xf;
    open = count;
    node = 0;
  }
  const padding = (1 << count) - 1;
  if (open > MAX_PADDING_BITS || (bits & padding) !== padding) throw malformed();
  return decoded.toString("latin1", 0, length);
}

function createTree(): Int32Array {
  const nodes: number[][] = [newNode()];
  let code = 0;
  let codeBits = SHORTEST_CODE_BITS;
  const symbols = CODE_LENGTHS.map((bits, symbol) => ({ bits, symbol }));
  for (const { bits, symbol } of symbols.toSorted((a, b) => a.bits - b.bits || a.symbol - b.symbol)) {
    code <<= bits - codeBits;
    codeBits = bits;
    addCode(nodes, symbol, code, bits);
    code += 1;
  }
  return Int32Array.from(nodes.flat());
}

function addCode(nodes: number[][], symbol: number, code: number, bits: number): void {
  let node = nodes[0] as number[];
  let left = bits;
  for (; left > 8; left -= 8) {
    const byte = (code >>> (left - 8)) & 0xff;
    if (node[byte] === 0) node[byte] = nodes.push(newNode()) - 1;
    node = nodes[node[byte] as number] as number[];
  }
  const first = (code << (8 - left)) & 0xff;
  node.fill(~((symbol << 4) | left), first, first + (1 << (8 - left)));
}

function newNode(): number[] {
  return new Array<number>(256).fill(0);
}

function malformed(): ConnectionError {
  return new ConnectionError(ErrorCode.COMPRESSION_ERROR, "the Huffman-coded string is malformed");
}
