import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http1Connection } from "@calltrack/http1";
import { ErrorCode, type Http2Stream, streamOf } from "@calltrack/http2";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { ContextValues } from "@connectrpc/connect";
import type { TrustedProxies } from "../../config/trusted-proxies.js";
import type { LimitMetrics } from "../../observability/metrics/limit-metrics.js";
import { recordOfCall } from "../../observability/requests/request-record.js";
import type { RequestSource } from "../../observability/requests/request-source.js";
import type { BodyBudget, BodyOwner } from "./body-budget.js";
import { clientOf, networkOf } from "./client-address.js";
import { OVERLOADED } from "./overload.js";
import { WatchedRequest } from "./watched-request.js";

/**
 * Counts the bodies that arrive on connections, whatever protocol they are of, and refuses those that are too much; see `BodyBudget`.
 */
export class BodyWatch {
  readonly #budget: BodyBudget;
  readonly #proxies: TrustedProxies;
  readonly #metrics: LimitMetrics;

  constructor(budget: BodyBudget, proxies: TrustedProxies, metrics: LimitMetrics) {
    this.#budget = budget;
    this.#proxies = proxies;
    this.#metrics = metrics;
  }

  /** A connection of HTTP/1.1 keeps so many bytes of requests that are not whole. */
  readonly onKept = (connection: Http1Connection, bytes: number): void => {
    if (bytes === 0) this.#budget.release(connection);
    else this.#budget.receive(connection, bytes, this.#ownerOfConnection);
  };

  /** More of the body of a stream of HTTP/2 has arrived. */
  readonly onPartialBody = (stream: Http2Stream): void => {
    this.#budget.receive(stream, stream.receivedBytes, this.#ownerOfStream);
  };

  /** Counts the body of a request of Node's server of HTTP/1.1, unless it arrives as a whole in one piece. */
  watchRequest(request: IncomingMessage, response: ServerResponse): void {
    new WatchedRequest(request, response, this.#onPart);
  }

  /** The call of a request begins, with all of its body. */
  begin(values: ContextValues): void {
    if (this.#budget.bytes === 0) return;
    const record = recordOfCall(values);
    if (record !== undefined) this.#budget.take(keyOf(record.source));
  }

  /** So many bytes of the body of a request are with its call. */
  readonly onTaken = (request: NodeRequest, bytes: number): void => this.#budget.take(keyOf(request), bytes);

  readonly #onPart = (watched: WatchedRequest): void => {
    const { request, receivedBytes } = watched;
    this.#budget.receive(request, receivedBytes, () => this.#ownerOfRequest(watched));
  };

  readonly #ownerOfConnection = (connection: Http1Connection): BodyOwner => {
    const { remoteAddress = "", remotePort } = connection.socket;
    // Whom a proxy forwards is not known before the head is whole: until then each of its connections counts by itself.
    const address = this.#proxies.has(remoteAddress) ? `${remoteAddress} ${remotePort}` : networkOf(remoteAddress);
    // Nothing is refused by that: Node's server takes over, and its requests are counted.
    return { address, shed: () => connection.shed() };
  };

  readonly #ownerOfStream = (stream: Http2Stream): BodyOwner => {
    stream.onClosed(() => this.#budget.release(stream));
    return { address: this.#addressOf(stream as RequestSource), shed: () => this.#refuseStream(stream) };
  };

  #ownerOfRequest(watched: WatchedRequest): BodyOwner {
    const { request } = watched;
    watched.onOver(() => this.#budget.release(request));
    return { address: this.#addressOf(request), shed: () => this.#refuseRequest(watched) };
  }

  #refuseRequest(watched: WatchedRequest): void {
    if (watched.refuse()) this.#metrics.refuseRequest("OVERLOADED");
  }

  #refuseStream(stream: Http2Stream): void {
    this.#metrics.refuseRequest("OVERLOADED");
    if (stream.hasResponded) stream.reset(ErrorCode.CANCEL);
    else OVERLOADED.answerStream(stream);
  }

  #addressOf(source: RequestSource): string {
    return networkOf(clientOf(source, this.#proxies));
  }
}

/** What a body is counted by. */
function keyOf(source: RequestSource): object {
  return "stream" in source ? (streamOf(source) ?? source) : source;
}
