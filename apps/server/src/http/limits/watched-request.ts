import type { IncomingMessage, ServerResponse } from "node:http";
import { createOverloadError } from "./overload.js";

/** The rest of a body that has its answer is read slowly, 64 KiB at a time: nobody waits for it. */
const DISCARD_INTERVAL_MS = 20;

/** A request of Node's server of HTTP/1.1 whose body is counted as it arrives. */
export class WatchedRequest {
  readonly request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onPart: (watched: WatchedRequest) => void;
  readonly #length: number;
  #receivedBytes = 0;
  #isRefused = false;
  #isPaced = false;

  /** @param onPart is called whenever a part of the body has arrived that does not make it whole. */
  constructor(request: IncomingMessage, response: ServerResponse, onPart: (watched: WatchedRequest) => void) {
    this.request = request;
    this.#response = response;
    this.#onPart = onPart;
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    this.#length = coding === undefined ? Number(length ?? 0) : Number.POSITIVE_INFINITY;
    if (this.#length > 0) this.#watchPieces();
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** Calls back once when the request is over, with its answer or without. */
  onOver(listener: () => void): void {
    const { socket } = this.request;
    const over = () => {
      this.#response.off("close", over);
      socket.off("close", over);
      listener();
    };
    // The response to one of several requests that were sent at once does not hear of the end of the connection.
    this.#response.once("close", over);
    socket.once("close", over);
  }

  /**
   * Ends the body with an error, which whoever reads it answers with; what still arrives is thrown away. Ends the connection where an
   * answer has begun. False if it is too late, as all of the body has been read.
   */
  refuse(): boolean {
    const { request } = this;
    if (request.readableEnded) return false;
    this.#isRefused = true;
    if (this.#response.headersSent) {
      request.socket.destroy();
      return true;
    }
    // What nobody has read yet would be kept as long as the request.
    request.read();
    // To destroy the request is not to end its connection: the answer goes over it.
    request._destroy = (error, callback) => callback(error);
    request.on("error", () => {}).destroy(createOverloadError());
    this.#readOn();
    return true;
  }

  /** Every piece of a body comes through here, from Node's parser, which pauses the connection where this returns false. */
  #watchPieces(): void {
    const { request } = this;
    const { push } = request;
    request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      if (chunk !== null) this.#receive(chunk.length);
      if (!this.#isRefused) return push.call(request, chunk, encoding) && !this.#isPaced;
      if (chunk !== null) this.#readOn();
      return false;
    };
  }

  #receive(bytes: number): void {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes >= this.#length || this.#isRefused) return;
    if (!this.#isPaced) this.#pace();
    this.#onPart(this);
  }

  /** From here on one piece is read in each turn of the event loop: else, a connection that sends much keeps the others waiting. */
  #pace(): void {
    const { request } = this;
    const { _read: read } = request;
    this.#isPaced = true;
    request._read = (size) => {
      const readOn = () => {
        if (!request.complete) read.call(request, size);
      };
      if (this.#response.headersSent) setTimeout(readOn, DISCARD_INTERVAL_MS);
      else setImmediate(readOn);
    };
  }

  /** Has more read of a refused body, which is thrown away: a client that is busy sending sees the answer only then. */
  #readOn(): void {
    const { socket } = this.request;
    setTimeout(() => socket.resume(), DISCARD_INTERVAL_MS);
  }
}
