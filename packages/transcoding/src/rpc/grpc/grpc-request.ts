import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { Code, ConnectError, type ContextValues } from "@connectrpc/connect";
import type { CallRequest } from "../../calls/call-request.js";
import { authorityOf, headerEntriesOf, headerOf } from "../../runtimes/node-headers.js";
import { GrpcMessageReader } from "./grpc-message.js";

/** The request of a unary gRPC call on a stream of `node:http2`. */
export class GrpcRequest implements CallRequest {
  readonly method = "POST";
  readonly contextValues: ContextValues | undefined;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, contextValues: ContextValues | undefined) {
    this.contextValues = contextValues;
    this.#stream = stream;
    this.#headers = headers;
  }

  get target(): string {
    return this.#headers[":path"] ?? "";
  }

  get origin(): string {
    return `${this.#headers[":scheme"]}://${authorityOf(this.#headers) ?? "localhost"}`;
  }

  header(name: string): string | undefined {
    return headerOf(this.#headers, name);
  }

  headerEntries(): readonly (readonly [string, string])[] {
    return headerEntriesOf(this.#headers);
  }

  /** The bytes of the message. Rejects with what the call is to fail with, without reading the rest. */
  readMessage(maxBytes: number): Promise<Uint8Array> {
    const stream = this.#stream;
    if (stream.closed) return Promise.reject(wentAway());
    const reader = new GrpcMessageReader(maxBytes);
    return new Promise((resolve, reject) => {
      const onClose = () => reject(wentAway());
      const onData = (chunk: Buffer) => {
        try {
          reader.push(chunk);
        } catch (error) {
          stream.off("data", onData).pause();
          reject(error);
        }
      };
      const onEnd = () => {
        // Of a stream that is reset, Node says that it has ended.
        if (stream.aborted) return;
        stream.off("close", onClose);
        try {
          resolve(reader.finish());
        } catch (error) {
          reject(error);
        }
      };
      stream.on("data", onData).once("end", onEnd).once("close", onClose);
    });
  }

  onAbort(listener: () => void): () => void {
    const stream = this.#stream;
    if (stream.closed) {
      listener();
      return () => {};
    }
    stream.once("aborted", listener).once("close", listener);
    return () => void stream.off("aborted", listener).off("close", listener);
  }
}

function wentAway(): ConnectError {
  return new ConnectError("the client went away", Code.Canceled);
}
