import type { HttpHeaders } from "../exchange.js";

/** Pieces of a response's body. */
export type BodyPieces = AsyncIterable<string | Uint8Array>;

/** Whether the response to a request has a body (RFC 9110 sections 9.3.2 and 15.3.5). */
export function mayHaveBody(method: string, status: number): boolean {
  return status !== 204 && status !== 304 && method !== "HEAD";
}

/** A response whose head was sent. */
export interface BodySink {
  /** Whether nothing more can be sent: the client has gone. */
  readonly isOver: boolean;
  /** Sends a piece. Returns undefined if the client takes it, else a promise for when it takes more or has gone. */
  writePiece(piece: string | Uint8Array): Promise<void> | undefined;
  /** Completes the response. */
  finish(trailers: HttpHeaders | undefined): void;
  /** Cuts the response off so that the client can tell; what was written is sent before. */
  cut(): void;
}

/**
 * Begins a response, sends its body piece by piece and completes it; ends the iteration early if the client goes.
 *
 * @param begin sends the head: "body" if a body follows, "complete" if it must not (HEAD, 204, 304), "over" if there is no client.
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
      const taken = sink.writePiece(piece.value);
      if (taken !== undefined) await taken;
      if (sink.isOver) return;
    }
    if (!sink.isOver) sink.finish(trailers?.());
  } catch (error) {
    sink.cut();
    throw error;
  }
}
