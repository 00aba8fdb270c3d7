import type { ContextValues } from "@connectrpc/connect";
import { Code, ConnectError } from "@connectrpc/connect";
import type { CallRequest } from "../../calls/call-request.js";
import { authorityOf, headerEntriesOf, headerOf } from "../../runtimes/node-headers.js";
import { GrpcMessageReader } from "./grpc-message.js";
import type { GrpcReceiver, GrpcStream } from "./grpc-stream.js";

/** The request of a unary gRPC call. */
export class GrpcRequest implements CallRequest, GrpcReceiver {
  readonly method = "POST";
  readonly contextValues: ContextValues | undefined;
  readonly #stream: GrpcStream;
  readonly #reader: GrpcMessageReader;
  /** What the message, or what is to be said in its stead, is given to; undefined once it is. */
  #waiting: { readonly resolve: (message: Uint8Array) => void; readonly reject: (error: unknown) => void } | undefined;
  #onAbort: (() => void) | undefined;

  /** @param maxBytes the most bytes of the message. */
  constructor(stream: GrpcStream, contextValues: ContextValues | undefined, maxBytes: number) {
    this.contextValues = contextValues;
    this.#stream = stream;
    this.#reader = new GrpcMessageReader(maxBytes);
  }

  get target(): string {
    return this.#stream.headers[":path"] ?? "";
  }

  get origin(): string {
    const { headers } = this.#stream;
    return `${headers[":scheme"]}://${authorityOf(headers) ?? "localhost"}`;
  }

  header(name: string): string | undefined {
    return headerOf(this.#stream.headers, name);
  }

  headerEntries(): readonly (readonly [string, string])[] {
    return headerEntriesOf(this.#stream.headers);
  }

  /** The bytes of the message. Rejects with what the call is to fail with, without reading the rest. Once only. */
  readMessage(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#stream.receive(this);
    });
  }

  onAbort(listener: () => void): () => void {
    this.#onAbort = listener;
    if (this.#stream.isClosed) listener();
    return () => {
      this.#onAbort = undefined;
    };
  }

  onData(chunk: Buffer): void {
    this.#stream.consume(chunk.length);
    if (this.#waiting === undefined) return;
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#settle()?.reject(error);
    }
  }

  onEnd(): void {
    const waiting = this.#settle();
    if (waiting === undefined) return;
    try {
      waiting.resolve(this.#reader.finish());
    } catch (error) {
      waiting.reject(error);
    }
  }

  onClose(): void {
    this.#settle()?.reject(new ConnectError("the client went away", Code.Canceled));
    this.#onAbort?.();
  }

  #settle() {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
