import type { Compression } from "@connectrpc/connect/protocol";
import { createMessageTooLargeError } from "../http/body-errors.js";
import type { ContentCoding } from "../http/content-coding.js";
import { RequestError } from "../http/request-error.js";
import { type FailureReader, failureToConnectError } from "../responses/failure.js";

/** The codings that gRPC and Connect define. */
const NAMES: readonly string[] = ["gzip", "br"];

/** Converts content codings for Connect's router (`acceptCompression`), so that it decompresses like all other protocols. */
export function createCompressions(codings: readonly ContentCoding[], readFailure: FailureReader): Compression[] {
  return codings
    .filter(({ name }) => NAMES.includes(name))
    .map((coding) => ({
      name: coding.name,
      compress: (bytes) => coding.encode(bytes) as ReturnType<Compression["compress"]>,
      decompress: (bytes, maxBytes) =>
        (bytes.length === 0
          ? Promise.resolve(bytes)
          : coding.decode(bytes, maxBytes).catch((error) => {
              const isTooLarge = error instanceof RequestError && error.reason === "BODY_TOO_LARGE";
              const failure = readFailure(isTooLarge ? createMessageTooLargeError(maxBytes) : error, undefined);
              throw failureToConnectError(failure);
            })) as ReturnType<Compression["decompress"]>,
    }));
}
