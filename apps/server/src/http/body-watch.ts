import type { NodeRequest } from "@calltrack/transcoding/node";
import type { TrustedProxies } from "../config/trusted-proxies.js";
import type { BodyBudget, BodyOwner } from "./limits/body-budget.js";
import { clientAddressOf, networkOf } from "./limits/client-address.js";
import type { RequestHandler } from "./request-handler.js";

/** Smaller bodies are not counted: they take less memory than the rest of their requests. */
const MIN_COUNTED_BYTES = 1024;

/** Counts incoming request bodies, and refuses the largest ones beyond the budget. */
export class BodyWatch {
  readonly #budget: BodyBudget;
  readonly #proxies: TrustedProxies;
  readonly #handler: RequestHandler;

  constructor(budget: BodyBudget, proxies: TrustedProxies, handler: RequestHandler) {
    this.#budget = budget;
    this.#proxies = proxies;
    this.#handler = handler;
  }

  /** Records that a piece of a body has arrived. */
  receive(request: NodeRequest): void {
    if (request.receivedBytes < MIN_COUNTED_BYTES) return;
    this.#budget.receive(request, request.receivedBytes, this.#ownerOf);
  }

  /** Stops counting a body. */
  release(request: NodeRequest): void {
    if (request.receivedBytes >= MIN_COUNTED_BYTES) this.#budget.release(request);
  }

  readonly #ownerOf = (request: NodeRequest): BodyOwner => ({
    address: networkOf(clientAddressOf(request, this.#proxies)),
    drop: () => this.#refuse(request),
  });

  #refuse(request: NodeRequest): void {
    request.refuseBody();
    if (request.hasResponded) request.abort();
    else this.#handler.refuse(request, "OVERLOADED");
  }
}
