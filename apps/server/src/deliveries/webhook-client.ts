import { type LookupAddress, lookup } from "node:dns";
import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";
import { findUrlIpAddress, isPublicIpAddress } from "../api/webhook-endpoints/public-address.js";
import { parseRetryAfterMs } from "./retry-schedule.js";

/** Time limit of an attempt, from the DNS lookup to the status. */
export const ATTEMPT_TIMEOUT_MS = 15_000;

/** Maximum bytes of the response body that are stored after a failed attempt. */
const MAX_KEPT_BYTES = 1024;

/** Maximum bytes of a response body that are read. Only a connection whose response was read completely can serve the next request. */
const MAX_READ_BYTES = 64 * 1024;

/** The receiver's response to an attempt, or the reason why there is no response. */
export interface WebhookAttemptOutcome {
  /** The HTTP status; undefined if there was none. */
  readonly status: number | undefined;
  /** The human-readable reason why the attempt failed; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** The beginning of the response body after a failed attempt, as text; undefined if there is none. */
  readonly body: string | undefined;
  /** The wait that the receiver requested; 0 if it requested none. */
  readonly retryAfterMs: number;
  /** Whether no request was sent. Default: false. */
  readonly isUnsent?: boolean;
}

/** Sends requests to webhook endpoints. Rejects private addresses unless they are allowed. */
export class WebhookClient {
  readonly #allowsPrivate: boolean;
  readonly #userAgent: string;
  readonly #agents: Readonly<Record<string, http.Agent>>;

  /** @param lookUp resolves host names. Default: the operating system's resolver. */
  constructor(allowsPrivate: boolean, release: string, lookUp: LookupFunction = lookup) {
    this.#allowsPrivate = allowsPrivate;
    this.#userAgent = `Calltrack/${release}`;
    const options = { keepAlive: true, lookup: allowsPrivate ? lookUp : onlyPublic(lookUp) };
    this.#agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };
  }

  /**
   * Sends a request. Follows no redirects. Resolves for every failure of the receiver or the network.
   *
   * @param signal aborts the attempt; the promise then rejects.
   */
  async post(
    target: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookAttemptOutcome> {
    const url = new URL(target);
    const address = findUrlIpAddress(url);
    // Node.js does not look up literal addresses, so `onlyPublic` does not check them.
    if (!this.#allowsPrivate && address !== undefined && !isPublicIpAddress(address))
      return failureOf(new ForbiddenAddressError());
    try {
      return await this.#send(url, headers, body, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]));
    } catch (error) {
      signal.throwIfAborted();
      return failureOf(error as Error);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #send(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<WebhookAttemptOutcome> {
    const { request } = url.protocol === "https:" ? https : http;
    const sent = request(url, {
      agent: this.#agents[url.protocol],
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": this.#userAgent,
      },
      signal,
    });
    sent.end(body);
    const response = await answerTo(sent);
    const { statusCode: status = 0 } = response;
    if (status >= 200 && status < 300) {
      // The rest of the response does not matter, but a receiver that never ends its responses must not occupy more connections than allowed.
      const timer = setTimeout(() => response.destroy(), BODY_TIMEOUT_MS);
      await readBeginning(response);
      clearTimeout(timer);
      return { status, failure: undefined, body: undefined, retryAfterMs: 0 };
    }
    return {
      status,
      failure: `the receiver answered ${status}${status >= 300 && status < 400 ? ": redirects are not followed" : ""}`,
      body: (await readBeginning(response)) || undefined,
      retryAfterMs: parseRetryAfterMs(response.headers["retry-after"], new Date()),
    };
  }
}

/** How long an accepted request waits for the end of its response, so that its connection can be used again. */
const BODY_TIMEOUT_MS = 1000;

/** Waits for the response to a request. Rejects with the error of the connection. */
function answerTo(sent: http.ClientRequest): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    sent.once("response", resolve);
    sent.once("upgrade", (response, socket) => {
      socket.destroy();
      response.push(null);
      resolve(response);
    });
    // Uses `on` instead of `once`, because the request can also fail while the body of the response arrives.
    sent.on("error", reject);
    sent.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  });
}

/** Reads a response body to its end, or up to `MAX_READ_BYTES`. Returns the beginning as text that PostgreSQL can store. Never rejects. */
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (size < MAX_KEPT_BYTES) kept.push(chunk);
      size += chunk.length;
      if (size > MAX_READ_BYTES) break;
    }
  } catch {
    // The status alone decides whether the attempt succeeded, so an incomplete body is acceptable.
  }
  // `stream` omits an incomplete character at the end.
  const text = new TextDecoder().decode(Buffer.concat(kept).subarray(0, MAX_KEPT_BYTES), { stream: true });
  return text.replace(/[^\P{Cc}\n\t]/gu, "");
}

/** The message omits the address, because administrators of accounts must not learn the addresses of the operator's network. */
class ForbiddenAddressError extends Error {
  constructor() {
    super("the receiver's address is not public, and WEBHOOKS_ALLOW_PRIVATE is off: use a public address");
  }
}

/**
 * Makes a lookup fail if one of the addresses of a name is not public. The client connects to an address that this lookup returned, so a change of
 * the name's addresses after the lookup has no effect.
 */
function onlyPublic(lookUp: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      const addresses = found as LookupAddress[];
      if (error) return callback(error, []);
      if (!addresses.every(({ address }) => isPublicIpAddress(address)))
        return callback(new ForbiddenAddressError(), []);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      callback(null, first?.address ?? "", first?.family);
    });
  };
}

/** Texts for common error codes of Node.js. Other failures show the code. */
const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: "the receiver's host name does not resolve to an address",
  EAI_AGAIN: "the receiver's host name could not be looked up",
  ECONNREFUSED: "the receiver refused the connection",
  ECONNRESET: "the receiver closed the connection without an answer",
  EHOSTUNREACH: "the receiver's host cannot be reached",
  ENETUNREACH: "the receiver's network cannot be reached",
  ETIMEDOUT: "the receiver did not accept the connection in time",
};

function failureOf(error: NodeJS.ErrnoException): WebhookAttemptOutcome {
  return { status: undefined, failure: describeFailure(error), body: undefined, retryAfterMs: 0 };
}

function describeFailure(error: NodeJS.ErrnoException): string {
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return `the receiver did not answer within ${ATTEMPT_TIMEOUT_MS / 1000} seconds`;
  if (error instanceof ForbiddenAddressError) return error.message;
  // An `AggregateError` has one error for each address of the host name.
  const { code = "", message } = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error;
  return FAILURES[code] ?? `the request failed: ${[code, message].filter(Boolean).join(", ")}`;
}
