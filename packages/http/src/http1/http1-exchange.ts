import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import { BaseExchange } from "../base-exchange.js";
import type { BodyReceiver, Exchange, HttpHeaders, Peer } from "../exchange.js";
import type { PlainRequestHead } from "./request-head.js";
import { formatDate, formatField, formatFields, formatHead } from "./response-head.js";

/** The connection that an exchange belongs to. */
export interface ExchangeOwner {
  readonly socket: Socket;
  readonly peer: Peer;
  /** Whether the connection closes after the response. */
  readonly isClosing: boolean;
  /** Called when the response is completely written. */
  onResponded(): void;
}

const CHUNKED = "transfer-encoding: chunked\r\n";

/** A buffered HTTP/1.1 request and its response. */
export class Http1Exchange extends BaseExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<IncomingHttpHeaders>;
  readonly body: Buffer;
  isOpenEnded = false;
  readonly #owner: ExchangeOwner;
  #addedFields = "";
  #status = 0;
  /** Resumes a streamed response that waits for the client to read. */
  #onDrain: (() => void) | undefined;

  constructor(owner: ExchangeOwner, head: Pick<PlainRequestHead, "method" | "target" | "headers">, body: Buffer) {
    super();
    this.#owner = owner;
    this.method = head.method;
    this.target = head.target;
    this.headers = head.headers;
    this.body = body;
  }

  get httpVersion(): "1.1" {
    return "1.1";
  }

  get peer(): Peer {
    return this.#owner.peer;
  }

  get hasBody(): boolean {
    return this.body.length > 0;
  }

  get receivedBytes(): number {
    return this.body.length;
  }

  get hasResponded(): boolean {
    return this.#status !== 0;
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  get progress(): number | undefined {
    if (this.isOver) return undefined;
    if (this.#status === 0) return 0;
    const { writableLength, bytesWritten } = this.#owner.socket;
    return writableLength > 0 ? undefined : bytesWritten;
  }

  /** Always false: requests with repeated fields are handed over. */
  isRepeated(): boolean {
    return false;
  }

  receive(receiver: BodyReceiver): void {
    if (this.body.length > 0) receiver.onData(this.body);
    receiver.onEnd();
  }

  /** Does nothing, because the body has arrived completely. */
  consume(): void {}

  addHeader(name: string, value: string): void {
    this.#addedFields += formatField(name, value);
  }

  respond(status: number, headers: HttpHeaders, body?: string | Uint8Array, trailers?: HttpHeaders): void {
    if (!this.#canRespond()) return;
    if (trailers !== undefined && hasFields(trailers) && this.mayHaveBody(status)) {
      // Throws before anything is sent.
      formatFields(trailers);
      this.begin(status, headers);
      if (body !== undefined) this.writePiece(body);
      this.finish(trailers);
      return;
    }
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const lengthLine = this.needsLength(status, headers) ? `content-length: ${length}\r\n` : "";
    const head = this.#formatHead(status, headers, lengthLine);
    const { socket } = this.#owner;
    if (length === 0 || !this.mayHaveBody(status)) {
      socket.write(head, "latin1");
    } else if (typeof body === "string" && length === body.length) {
      // ASCII text has the same bytes in Latin-1, so head and body can be sent with one write.
      socket.write(head + body, "latin1");
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body as string | Uint8Array);
      socket.uncork();
    }
    this.#status = status;
    this.#complete();
  }

  abort(): void {
    this.#owner.socket.destroy();
    this.onDisconnect();
  }

  // Called by the connection.

  /** Ends the exchange because the client disconnected. Does nothing if it is over. */
  onDisconnect(): void {
    if (!this.isOver) this.#end(undefined);
  }

  /** Called when the socket can take more. */
  onDrain(): void {
    this.#onDrain?.();
  }

  protected writePiece(piece: string | Uint8Array): Promise<void> | undefined {
    const length = Buffer.byteLength(piece);
    // An empty chunk would end the body.
    if (length === 0) return undefined;
    const { socket } = this.#owner;
    socket.cork();
    socket.write(`${length.toString(16)}\r\n`, "latin1");
    socket.write(piece);
    const canContinue = socket.write("\r\n", "latin1");
    socket.uncork();
    if (canContinue || this.isOver) return undefined;
    return new Promise((resolve) => {
      this.#onDrain = resolve;
    });
  }

  protected finish(trailers: HttpHeaders | undefined): void {
    if (this.mayHaveBody(this.#status)) {
      this.#owner.socket.write(`0\r\n${trailers === undefined ? "" : formatFields(trailers)}\r\n`, "latin1");
    }
    this.#complete();
  }

  /** Closes the connection. The missing last chunk tells the client that the response is incomplete. */
  protected cutOff(): void {
    this.#owner.socket.destroySoon();
    this.onDisconnect();
  }

  #canRespond(): boolean {
    return this.#status === 0 && !this.isOver && this.#owner.socket.writable;
  }

  protected begin(status: number, headers: HttpHeaders): "body" | "complete" | "over" {
    if (!this.#canRespond()) return "over";
    const mayHaveBody = this.mayHaveBody(status);
    const { socket } = this.#owner;
    const head = this.#formatHead(status, headers, mayHaveBody ? CHUNKED : "");
    // The first piece may be available at once, and is then sent together with the head.
    socket.cork();
    socket.write(head, "latin1");
    process.nextTick(() => socket.uncork());
    this.#status = status;
    return mayHaveBody ? "body" : "complete";
  }

  #formatHead(status: number, headers: HttpHeaders, framing: string): string {
    const connection = this.#owner.isClosing ? "connection: close\r\n" : "";
    return `${formatHead(status, headers)}${this.#addedFields}${formatDate()}${framing}${connection}\r\n`;
  }

  #complete(): void {
    this.#end(this.#status);
    this.#owner.onResponded();
  }

  #end(status: number | undefined): void {
    this.reportEnd(status);
    this.#onDrain?.();
  }
}

function hasFields(headers: HttpHeaders): boolean {
  for (const _ in headers) return true;
  return false;
}
