import { createHttpServer, type Exchange } from "@calltrack/http";
import type { ContextValues } from "@connectrpc/connect";
import type { ContentCoding } from "../http/content-coding.js";
import type { HttpHandler } from "../http/http-handler.js";
import type { BodyReceiver, HttpRequest } from "../http/http-request.js";
import type { HttpResponse } from "../http/http-response.js";
import { createNodeContentCodings } from "../runtimes/node-content-coding.js";

/** A handler served by `@calltrack/http`. */
export interface ExchangeServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a handler with `@calltrack/http`, over HTTP/1.1 and HTTP/2 without TLS. Closing waits only briefly for requests. */
export async function serveOnExchanges(
  handler: HttpHandler,
  contextValues: (() => ContextValues) | undefined,
): Promise<ExchangeServer> {
  const codings = createNodeContentCodings();
  const server = createHttpServer(
    {
      handle(exchange) {
        const response = handler.handle(new ExchangeRequest(exchange, contextValues?.(), codings));
        if (response === undefined) exchange.respond(404, {});
        else response.then((given) => send(exchange, given)).catch(() => exchange.abort());
      },
      refuse: (exchange) => exchange.respond(400, {}),
    },
    { limits: { requestTimeoutMs: 100 } },
  );
  return { port: await server.listen(0, "127.0.0.1"), close: () => server.close() };
}

function send(exchange: Exchange, { status, headers, ownHeaders, body, trailers }: HttpResponse): Promise<void> | void {
  for (const [name, values] of Object.entries(ownHeaders ?? {})) {
    for (const value of [values].flat()) exchange.addHeader(name, value);
  }
  if (typeof body === "object" && Symbol.asyncIterator in body) return exchange.stream(status, headers, body, trailers);
  exchange.respond(status, headers, body, trailers?.() ?? {});
}

class ExchangeRequest implements HttpRequest {
  readonly httpVersion: HttpRequest["httpVersion"];
  readonly method: string;
  readonly target: string;
  readonly origin: string;
  readonly hasBody: boolean;
  readonly #exchange: Exchange;

  constructor(
    exchange: Exchange,
    readonly contextValues: ContextValues | undefined,
    readonly codings: readonly ContentCoding[],
  ) {
    this.httpVersion = exchange.httpVersion;
    this.method = exchange.method;
    this.target = exchange.target;
    this.origin = `http://${exchange.headers.host}`;
    this.hasBody = exchange.hasBody;
    this.#exchange = exchange;
  }

  get body(): Uint8Array | undefined {
    return this.#exchange.body;
  }

  header(name: string): string | undefined {
    return this.#exchange.headers[name]?.toString();
  }

  headerEntries(): Iterable<readonly [string, string]> {
    return Object.entries(this.#exchange.headers).flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => [name, value] as const),
    );
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
