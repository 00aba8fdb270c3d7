/** Takes a message of the server: the byte that tells its type, and where in the bytes its content stands. */
export type TakeMessage = (type: number, bytes: Buffer, start: number, end: number) => void;

/** The type, and the length of what follows it. */
const HEADER_LENGTH = 5;

const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Cuts what a connection brings into messages.
 *
 * @returns what takes a piece of it, wherever it is cut. The bytes that `take` gets are not kept: they belong to the socket.
 * See https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export function createMessageReader(take: TakeMessage): (piece: Buffer) => void {
  let rest = NOTHING;
  return (piece) => {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    while (bytes.length - start >= HEADER_LENGTH) {
      const end = start + 1 + bytes.readInt32BE(start + 1);
      if (end > bytes.length) break;
      take(bytes[start] as number, bytes, start + HEADER_LENGTH, end);
      start = end;
    }
    rest = start === bytes.length ? NOTHING : bytes.subarray(start);
  };
}
