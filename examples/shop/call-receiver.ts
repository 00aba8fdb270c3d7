import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Part of a call that Calltrack tells the shop of. */
export interface ToldCall {
  readonly id: string;
  readonly outcome: string;
  readonly updated_at: string;
}

const MAX_AGE_SECONDS = 300;

/** Receives Calltrack's requests to the webhook endpoint of the shop, and keeps their calls in memory. */
export class CallReceiver {
  readonly #key: Buffer;
  /** By id. A request can arrive twice, and later than the next one of its call. */
  readonly #calls = new Map<string, ToldCall>();

  /** @param secret the secret of the endpoint: `whsec_` and base64. */
  constructor(secret: string) {
    this.#key = Buffer.from(secret.replace("whsec_", ""), "base64");
  }

  /** The latest state of each call. */
  get calls(): readonly ToldCall[] {
    return [...this.#calls.values()];
  }

  /** Receives a request. Returns whether it comes from Calltrack. */
  receive(headers: IncomingHttpHeaders, body: string): boolean {
    if (!this.#isAuthentic(headers, body)) return false;
    const { call } = JSON.parse(body) as { readonly call?: ToldCall };
    const known = call && this.#calls.get(call.id);
    if (call && (known === undefined || known.updated_at <= call.updated_at)) this.#calls.set(call.id, call);
    return true;
  }

  /** Verifies the signature as Standard Webhooks describes it. Your own program can use the package `standardwebhooks`. */
  #isAuthentic(headers: IncomingHttpHeaders, body: string): boolean {
    const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
    if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS)) return false;
    const digest = createHmac("sha256", this.#key).update(`${id}.${timestamp}.${body}`).digest("base64");
    const expected = Buffer.from(`v1,${digest}`);
    return String(signatures)
      .split(" ")
      .map((signature) => Buffer.from(signature))
      .some((signature) => signature.length === expected.length && timingSafeEqual(signature, expected));
  }
}
