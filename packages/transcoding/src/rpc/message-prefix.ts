/** The size of a message prefix, which contains flags and length, in gRPC, gRPC-Web and Connect streams. */
export const PREFIX_BYTES = 5;

/** Reads the length of the message from a complete prefix. */
export function readLength(prefix: Uint8Array): number {
  let length = 0;
  for (let at = 1; at < PREFIX_BYTES; at++) length = length * 256 + (prefix[at] as number);
  return length;
}

// Node.js allocates small buffers from a pool, which is much faster.
const allocate = typeof Buffer === "undefined" ? (bytes: number) => new Uint8Array(bytes) : Buffer.allocUnsafe;

/** Prepends the prefix to a message. */
export function frameMessage(message: Uint8Array, flags = 0): Uint8Array {
  const { length } = message;
  const frame: Uint8Array = allocate(PREFIX_BYTES + length);
  frame[0] = flags;
  frame[1] = length >>> 24;
  frame[2] = length >>> 16;
  frame[3] = length >>> 8;
  frame[4] = length;
  frame.set(message, PREFIX_BYTES);
  return frame;
}
