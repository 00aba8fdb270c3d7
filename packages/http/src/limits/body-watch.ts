import type { ExchangeHandler } from "../exchange.js";
import type { Http1Connection } from "../http1/http1-connection.js";
import type { Http2Exchange } from "../http2/http2-exchange.js";
import type { NodeExchange } from "../node/node-exchange.js";
import type { BodyBudget, BodyOwner } from "./body-budget.js";
import { networkOf, type TrustedProxies } from "./client-address.js";

/** Counts incoming request bodies of all HTTP versions, and refuses the largest ones beyond the budget; see `BodyBudget`. */
export class BodyWatch {
  readonly #budget: BodyBudget;
  readonly #proxies: TrustedProxies;
  readonly #handler: ExchangeHandler;

  constructor(budget: BodyBudget, proxies: TrustedProxies, handler: ExchangeHandler) {
    this.#budget = budget;
    this.#proxies = proxies;
    this.#handler = handler;
  }

  /** Records how many bytes of unhandled requests an HTTP/1.1 connection has buffered. */
  readonly onBuffered = (connection: Http1Connection, bytes: number): void => {
    if (bytes === 0) this.#budget.release(connection);
    else this.#budget.receive(connection, bytes, this.#ownerOfConnection);
  };

  /** Records that a part of a body has arrived. */
  readonly onPartialBody = (exchange: Http2Exchange | NodeExchange): void => {
    this.#budget.receive(exchange, exchange.receivedBytes, this.#ownerOfExchange);
  };

  readonly #ownerOfConnection = (connection: Http1Connection): BodyOwner => {
    const { address, port } = connection.peer;
    // Before the headers are complete, the client behind a proxy is unknown, so each connection of a proxy counts separately.
    const owner = this.#proxies.has(address) ? `${address} ${port}` : networkOf(address);
    // This does not refuse incomplete requests: Node's server takes over the connection and counts their bodies.
    return { address: owner, drop: () => connection.freeBuffer() };
  };

  readonly #ownerOfExchange = (exchange: Http2Exchange | NodeExchange): BodyOwner => {
    exchange.onRelease = () => this.#budget.release(exchange);
    return { address: networkOf(this.#proxies.clientOf(exchange)), drop: () => this.#refuse(exchange) };
  };

  #refuse(exchange: Http2Exchange | NodeExchange): void {
    // Nothing is left to refuse if the whole body has been read.
    if ("request" in exchange && exchange.request.readableEnded) return;
    exchange.refuseRest();
    if (exchange.hasResponded) exchange.abort();
    else this.#handler.refuse(exchange, "OVERLOADED");
  }
}
