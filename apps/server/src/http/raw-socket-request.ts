import { type IncomingHttpHeaders, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { HttpHeaders } from "@calltrack/transcoding";
import { NodeRequest, type RequestConnection } from "@calltrack/transcoding/node";

/** How long a client can read the response before the server closes the connection. */
const LINGER_MS = 1000;

/** The part of a request head that Node has parsed. */
export interface PartialRequestHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: IncomingHttpHeaders;
}

/**
 * A request for which Node creates no response object: a malformed or incomplete HTTP/1.1 request, or CONNECT. The response is always an
 * error, after which the connection closes.
 */
export class RawSocketRequest extends NodeRequest {
  readonly httpVersion = "1.1";
  readonly isArriving = false;
  readonly unsentBytes = 0;
  readonly rawHeaders = [];
  hasResponded = false;
  readonly #headers: IncomingHttpHeaders;

  constructor(
    protected override readonly sink: Socket,
    { method = "", url = "", headers = {} }: PartialRequestHead,
    connection: RequestConnection,
  ) {
    super(sink, sink, method, url, false, connection);
    this.#headers = headers;
    sink.once("close", () => this.handleClose());
  }

  header(name: string): string | undefined {
    return this.#headers[name]?.toString();
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    for (const name in this.#headers) yield [name, this.header(name) ?? ""];
  }

  abort(): void {
    this.sink.destroy();
  }

  protected get isDisconnected(): boolean {
    return !this.sink.writable;
  }

  protected sendWhole(status: number, headers: HttpHeaders, body: string | Uint8Array = ""): void {
    const content = Buffer.from(body);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`];
    const fields = this.fieldsOf(headers);
    for (const name in fields) for (const value of [fields[name]].flat()) lines.push(`${name}: ${value}`);
    lines.push(`content-length: ${content.length}`, `date: ${new Date().toUTCString()}`, "connection: close");
    this.hasResponded = true;
    this.sink.end(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), content]));
    setTimeout(() => this.sink.destroy(), LINGER_MS).unref();
  }

  protected readBody(): void {}

  protected sendHead(): void {
    throw new Error("An unparsed request cannot have a streamed response.");
  }

  protected sendEnd(): void {}

  protected cutOff(): void {
    this.abort();
  }
}
