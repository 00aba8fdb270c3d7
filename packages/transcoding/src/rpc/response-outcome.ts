import type { Code } from "@connectrpc/connect";
import { endStreamFlag, endStreamFromJson } from "@connectrpc/connect/protocol-connect";
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { trailerFlag, trailerParse } from "@connectrpc/connect/protocol-grpc-web";
import { PREFIX_BYTES } from "./envelope.js";

/**
 * Passes on the frames of a gRPC-Web response or a Connect stream, whose last one has the outcome of the call. Reports it before
 * it is sent: the code of an error, or undefined.
 */
export async function* reportOutcome(
  frames: AsyncIterable<Uint8Array>,
  report: (code: Code | undefined) => void,
): AsyncIterable<Uint8Array> {
  for await (const frame of frames) {
    const message = frame.subarray(PREFIX_BYTES);
    if (frame[0] === trailerFlag) report(findTrailerError(trailerParse(message))?.code);
    if (frame[0] === endStreamFlag) report(endStreamFromJson(message).error?.code);
    yield frame;
  }
}
