import type { BodyReceiver, Exchange } from "@calltrack/http";
import type { ContentCoding, HttpRequest } from "@calltrack/transcoding";
import type { RequestRecord } from "../observability/requests/request-record.js";

/** Adapts an exchange to the request interface of the transcoder and the RPC handler. */
export class ExchangeRequest implements HttpRequest {
  readonly httpVersion: HttpRequest["httpVersion"];
  readonly method: string;
  readonly target: string;
  readonly contextValues: RequestRecord;
  readonly codings: readonly ContentCoding[];
  readonly #exchange: Exchange;

  constructor(record: RequestRecord, codings: readonly ContentCoding[]) {
    const { exchange } = record;
    this.httpVersion = exchange.httpVersion;
    this.method = exchange.method;
    this.target = exchange.target;
    this.contextValues = record;
    this.codings = codings;
    this.#exchange = exchange;
  }

  get origin(): string {
    const { peer, headers } = this.#exchange;
    return `${peer.isEncrypted ? "https" : "http"}://${headers.host ?? "localhost"}`;
  }

  get hasBody(): boolean {
    return this.#exchange.hasBody;
  }

  get body(): Uint8Array | undefined {
    return this.#exchange.body;
  }

  header(name: string): string | undefined {
    const value = this.#exchange.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  *headerEntries(): Iterable<readonly [string, string]> {
    const { headers } = this.#exchange;
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === "string") yield [name, value];
      else for (const each of value ?? []) yield [name, each];
    }
  }

  isRepeated(name: string): boolean {
    return this.#exchange.isRepeated(name);
  }

  receive(receiver: BodyReceiver): void {
    this.#exchange.receive(receiver);
  }

  consume(bytes: number): void {
    this.#exchange.consume(bytes);
  }

  onGone(listener: () => void): () => void {
    return this.#exchange.onGone(listener);
  }
}
