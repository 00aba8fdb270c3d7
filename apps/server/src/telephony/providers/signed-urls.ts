import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { SignedRequest } from "./verify-signature.js";

/** How long a signature is valid: from five minutes before the time that it names to five minutes after. */
const VALIDITY_MS = 600_000;

/** Eighty webhooks a second for as long as a signature is valid. */
const MAX_ENTRIES = 50_000;

/**
 * Remembers the URL that each request with a valid signature came to. Telnyx' signatures do not cover the URL, so a stranger who has
 * seen a request could send it to another webhook. Each process has its own memory.
 */
export class SignedUrls {
  readonly #urls = new LRUCache<string, string>({ max: MAX_ENTRIES, ttl: VALIDITY_MS });

  /** Returns false if a signed request came to another URL before; else remembers its URL. Telnyx repeats failed requests. */
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
