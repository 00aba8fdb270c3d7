import type { IncomingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { HttpHeaders as AnswerHeaders } from "../exchange.js";
import type { RequestHead } from "../http1/request-head.js";
import { formatDate, formatHead } from "../http1/response-head.js";
import type { FixedAnswer } from "./fixed-answer.js";

/** The connection of a request. */
export interface RequestOwner {
  readonly socket: Socket;
  /** Whether the connection ends with the answer. */
  readonly isClosing: boolean;
  /** The answer is written. */
  onAnswered(): void;
}

/** A request of HTTP/1.1 that has come with all of its body. */
export class WholeRequest {
  readonly method: string;
  /** The target as it came. */
  readonly url: string;
  /** By their names in lower case; they are not changed. */
  readonly headers: Readonly<IncomingHttpHeaders>;
  /** Empty for none. */
  readonly body: Buffer;
  readonly #owner: RequestOwner;
  #ownFields = "";
  #isOver = false;
  #onGone: (() => void) | undefined;
  #onEnd: ((status: number | undefined) => void) | undefined;

  constructor(owner: RequestOwner, { method, target, headers }: RequestHead, body: Buffer) {
    this.#owner = owner;
    this.method = method;
    this.url = target;
    this.headers = headers;
    this.body = body;
  }

  get socket(): Socket {
    return this.#owner.socket;
  }

  /** Adds field lines, as they are sent, to the answer beside those that it will come with. */
  addFieldLines(lines: string): void {
    this.#ownFields += lines;
  }

  /** Calls back when the request is over: with the status of its answer, or undefined if the client has gone away before. One at most. */
  onEnd(listener: (status: number | undefined) => void): void {
    this.#onEnd = listener;
  }

  /** Calls back if the client goes away before its answer, at once if it has; returns the way to stop that. One at a time. */
  onGone(listener: () => void): () => void {
    if (this.#isOver) listener();
    else this.#onGone = listener;
    return () => {
      this.#onGone = undefined;
    };
  }

  /**
   * Answers; nothing is sent to a client that has gone away.
   *
   * @param headers without `content-length`, `date` and `connection`, which are added.
   * @param body undefined for none.
   * @throws TypeError for headers that cannot be sent, with nothing sent.
   */
  respond(status: number, headers: AnswerHeaders, body?: string | Uint8Array): void {
    if (this.#isOver || !this.socket.writable) return;
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const head = `${formatHead(status, headers)}${this.#ownFields}${formatDate()}${this.#framing(status, length)}\r\n`;
    const { socket } = this;
    if (body === undefined) {
      socket.write(head, "latin1");
    } else if (typeof body === "string" && length === body.length) {
      // Text that is ASCII is the same bytes in Latin-1, and one write with the head.
      socket.write(head + body, "latin1");
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
    this.#end(status);
    this.#owner.onAnswered();
  }

  /** Answers with what is the same each time, at less than `respond` takes. */
  respondFixed({ status, headers, body, text }: FixedAnswer): void {
    if (this.#ownFields !== "" || this.#owner.isClosing) {
      this.respond(status, headers, body);
      return;
    }
    if (this.#isOver || !this.socket.writable) return;
    this.socket.write(text, "latin1");
    this.#end(status);
    this.#owner.onAnswered();
  }

  /** Ends the connection without an answer. */
  cut(): void {
    this.#owner.socket.destroy();
  }

  /** The client has gone away. */
  giveUp(): void {
    if (this.#isOver) return;
    const onGone = this.#onGone;
    this.#end(undefined);
    onGone?.();
  }

  #framing(status: number, length: number): string {
    const connection = this.#owner.isClosing ? "connection: close\r\n" : "";
    // RFC 9110 section 8.6: none with 204, and with 304 that of what is not sent.
    return status === 204 || status === 304 ? connection : `content-length: ${length}\r\n${connection}`;
  }

  #end(status: number | undefined): void {
    this.#isOver = true;
    this.#onGone = undefined;
    this.#onEnd?.(status);
  }
}
