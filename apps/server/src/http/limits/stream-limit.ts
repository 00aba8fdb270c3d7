import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpLimits } from "../../config/http-limits.js";
import { INFRASTRUCTURE_SERVICES } from "../../observability/grpc-services/infrastructure-services.js";
import type { RequestState } from "../../observability/requests/request-state.js";
import { isEventWatchMethod } from "../endless-streams.js";
import { readClientAddress, toClientNetwork } from "./client-address.js";

/**
 * Limits the number of open streams: in total, per client address and per principal. A stream counts until its response is complete or its
 * client disconnects, however slowly the client reads. Health watches and reflection have separate limits, because they need no
 * credentials. Event watchers also have separate limits.
 */
export class StreamLimit {
  readonly #limits: Pick<HttpLimits, "openStreams" | "trustedProxies">;
  readonly #counts = new Map<string, number>();
  /** The keys of `#counts` under which each open stream is counted. */
  readonly #keys = new Map<RequestState, string[]>();

  constructor(limits: Pick<HttpLimits, "openStreams" | "trustedProxies">) {
    this.#limits = limits;
  }

  /**
   * Counts an open stream toward the limits of its client address and, in a second call after authentication, of its principal. Returns false,
   * without counting the stream, if a limit is reached. `principal` is undefined before authentication, and for anonymous clients.
   */
  take(state: RequestState, method: DescMethod, principal?: string): boolean {
    // If the client disconnected during authentication, nobody would release the stream.
    if (state.request.isOver) return true;
    const kind = kindOf(method);
    const { total, perClient } = this.#limits.openStreams[kind];
    const address = toClientNetwork(readClientAddress(state.request, this.#limits.trustedProxies));
    const keys = this.#keys.get(state) ?? [];
    const added = [kind, `${kind} address ${address}`];
    if (principal !== undefined) added.push(`${kind} principal ${principal}`);
    const news = added.filter((key) => !keys.includes(key));
    if (news.some((key) => this.#count(key) >= (key === kind ? total : perClient))) return false;
    for (const key of news) this.#counts.set(key, this.#count(key) + 1);
    this.#keys.set(state, [...keys, ...news]);
    state.isOpenStream = true;
    return true;
  }

  /** Stops counting a stream. Does nothing if the stream is not counted. */
  release(state: RequestState): void {
    for (const key of this.#keys.get(state) ?? []) {
      const count = this.#count(key) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
    this.#keys.delete(state);
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

function kindOf(method: DescMethod): keyof HttpLimits["openStreams"] {
  if (isEventWatchMethod(method)) return "watchers";
  return INFRASTRUCTURE_SERVICES.some((service) => service === method.parent) ? "infrastructure" : "api";
}
