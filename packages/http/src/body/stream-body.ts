import type { HttpHeaders } from "../exchange.js";

/** The pieces of a response body. */
export type BodyPieces = AsyncIterable<string | Uint8Array>;

/** Whether the response to a request may have a body (RFC 9110 sections 9.3.2 and 15.3.5). */
export function mayHaveBody(method: string, status: number): boolean {
  return status !== 204 && status !== 304 && method !== "HEAD";
}

/** A response that is being streamed. */
export interface BodySink {
  /** Whether the response is complete or the client disconnected. */
  readonly isOver: boolean;
  /** Sends a piece. Returns a promise if the client is slow; it resolves when more can be sent, or when the client disconnects. */
  writePiece(piece: string | Uint8Array): Promise<void> | undefined;
  /** Completes the response. */
  finish(trailers: HttpHeaders | undefined): void;
  /** Cuts off the response in a way that the client can detect, after sending the pieces written so far. */
  cutOff(): void;
}

/**
 * Sends a response with a streamed body. Ends the iteration early if the client disconnects.
 *
 * @param begin sends the headers. Returns "body" if a body follows, "complete" if none may follow (HEAD, 204, 304), and "over" if the
 *   client disconnected.
 */
export async function streamBody(
  sink: BodySink,
  begin: () => "body" | "complete" | "over",
  body: BodyPieces,
  trailers: (() => HttpHeaders | undefined) | undefined,
): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  try {
    const state = begin();
    if (state === "complete") sink.finish(undefined);
    if (state === "body") await sendPieces(sink, pieces, trailers);
  } finally {
    await pieces.return?.();
  }
}

async function sendPieces(
  sink: BodySink,
  pieces: AsyncIterator<string | Uint8Array>,
  trailers: (() => HttpHeaders | undefined) | undefined,
): Promise<void> {
  try {
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) {
      if (sink.isOver) return;
      const drained = sink.writePiece(piece.value);
      if (drained !== undefined) await drained;
      if (sink.isOver) return;
    }
    if (!sink.isOver) sink.finish(trailers?.());
  } catch (error) {
    sink.cutOff();
    throw error;
  }
}
