/**
 * Handles a message from the server.
 *
 * @param type the code of the message.
 * @param bytes contains the content of the message from `start` to `end`. It is valid only during the call, as the socket owns
 * it.
 */
export type OnMessage = (type: number, bytes: Buffer, start: number, end: number) => void;

/** The number of bytes that the code and the length of a message take. */
const HEADER_BYTES = 5;

const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Creates a function that takes the bytes of a connection in pieces of any size, and splits them into messages.
 *
 * See https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function createMessageReader(onMessage: OnMessage): (piece: Buffer) => void {
  let rest = EMPTY;
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    while (bytes.length - start >= HEADER_BYTES) {
      const end = start + 1 + bytes.readInt32BE(start + 1);
      if (end > bytes.length) break;
      onMessage(bytes[start] as number, bytes, start + HEADER_BYTES, end);
      start = end;
    }
    rest = start === bytes.length ? EMPTY : bytes.subarray(start);
  };
}
