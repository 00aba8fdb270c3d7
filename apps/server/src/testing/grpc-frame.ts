/** Prefixes a message with the flags byte and the length of the message. Tests may pass a wrong length. */
export function createGrpcFrame(message: Uint8Array, flags = 0, length = message.length): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(length, 1);
  return Buffer.concat([prefix, message]);
}
