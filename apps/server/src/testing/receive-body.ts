import type { NodeRequest } from "@calltrack/transcoding/node";

/** Receives the body of a request. Rejects with the error of `onAbort`, or with "the client disconnected". */
export function receiveBody(request: NodeRequest): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    request.receive({
      onData(chunk) {
        chunks.push(chunk);
        request.consume(chunk.length);
      },
      onEnd: () => resolve(Buffer.concat(chunks)),
      onAbort: (error) => reject(error ?? new Error("the client disconnected")),
    });
  });
}
