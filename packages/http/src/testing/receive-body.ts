import type { Exchange } from "../exchange.js";

/** Receives the body of a request. Rejects with the error of `onAbort`, or with "the client disconnected". */
export function receiveBody(exchange: Exchange): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    exchange.receive({
      onData(chunk) {
        chunks.push(chunk);
        exchange.consume(chunk.length);
      },
      onEnd: () => resolve(Buffer.concat(chunks)),
      onAbort: (error) => reject(error ?? new Error("the client disconnected")),
    });
  });
}
