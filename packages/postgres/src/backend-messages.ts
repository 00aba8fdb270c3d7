/**
 * Receives a message of the server.
 *
 * @param type the message's code.
 * @param bytes hold the message's content from `start` to `end`; valid during the call only, as they belong to the socket.
 */
export type OnMessage = (type: number, bytes: Buffer, start: number, end: number) => void;

/** The bytes of a message's code and length. */
const HEADER_BYTES = 5;

const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Creates a function that splits the bytes of a connection, in pieces of any size, into messages.
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
