import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { SignedRequest } from "./verify-signature.js";

/** How long a signature is valid: from five minutes before its timestamp to five minutes after. */
const VALIDITY_MS = 600_000;

/** Enough for eighty requests a second while their signatures are valid. */
const MAX_ENTRIES = 50_000;

/**
 * Detects a signed request that was sent to another URL before. Telnyx's signatures do not cover the URL, so a stranger who has seen a
 * request could send it to another webhook. Each process has its own cache of URLs.
 */
export class SignatureReplayGuard {
  // The option `max` would allocate memory for all entries at once.
  readonly #urls = new LRUCache<string, string>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1, ttl: VALIDITY_MS });

  /** Returns false if the same content arrived earlier at another URL; otherwise, caches the URL. Telnyx retries a failed request at the same URL. */
  accept({ url, body, header }: Pick<SignedRequest, "url" | "body" | "header">): boolean {
    const key = createHash("sha256")
      .update(`${header("telnyx-timestamp")}|`)
      .update(body)
      .digest("base64");
    const known = this.#urls.get(key);
    if (known === undefined) this.#urls.set(key, url);
    return known === undefined || known === url;
  }
}
