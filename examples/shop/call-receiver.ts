import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The fields of a call that the shop uses, from the requests that Calltrack sends. */
export interface ReceivedCall {
  readonly id: string;
  readonly outcome: string;
  readonly updated_at: string;
}

const MAX_AGE_SECONDS = 300;

/** Receives requests to the shop's webhook endpoint, and keeps the latest state of each call in memory. */
export class CallReceiver {
  readonly #key: Buffer;
  /** The latest state of each call, keyed by the call's id. Requests about a call can arrive twice and out of order. */
  readonly #calls = new Map<string, ReceivedCall>();

  /** @param secret the secret of the webhook endpoint: `whsec_` and base64. */
  constructor(secret: string) {
    this.#key = Buffer.from(secret.replace("whsec_", ""), "base64");
  }

  get calls(): readonly ReceivedCall[] {
    return [...this.#calls.values()];
  }

  /** Stores the call in a request. Returns whether the request comes from Calltrack. */
  receive(headers: IncomingHttpHeaders, body: string): boolean {
    if (!this.#isAuthentic(headers, body)) return false;
    const { call } = JSON.parse(body) as { readonly call?: ReceivedCall };
    const known = call && this.#calls.get(call.id);
    if (call && (known === undefined || known.updated_at <= call.updated_at)) this.#calls.set(call.id, call);
    return true;
  }

  /** Verifies the signature according to Standard Webhooks. Your own program can use the package `standardwebhooks`. */
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
