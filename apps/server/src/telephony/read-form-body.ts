import type { NodeRequest } from "@calltrack/transcoding/node";

/** The largest body of a webhook, in bytes. */
export const MAX_FORM_BYTES = 64 * 1024;

/**
 * Reads the body of a webhook. Resolves with undefined if it is larger than `MAX_FORM_BYTES`. Never resolves if the client
 * disconnects, or sends too slowly, which the server answers.
 */
export function readFormBody(request: NodeRequest): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    if (Number(request.header("content-length")) > MAX_FORM_BYTES) return resolve(undefined);
    request.receive({
      onData(chunk) {
        bytes += chunk.length;
        if (bytes > MAX_FORM_BYTES) return resolve(undefined);
        chunks.push(chunk);
        request.consume(chunk.length);
      },
      onEnd: () => resolve(Buffer.concat(chunks)),
      onAbort() {},
    });
  });
}
