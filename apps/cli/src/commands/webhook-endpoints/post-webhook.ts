import { listCauseCodes } from "../../connection/unreachable-error.js";
import { waitForResponse } from "../../connection/wait-for-response.js";
import { PROGRAM_VERSION } from "../../program-version.js";

/** The time limit of a request: the same as in the server's requests to webhook endpoints. */
const TIMEOUT_MS = 15_000;

export interface ReceiverResponse {
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** The human-readable reason why the request failed; null if it succeeded. */
  readonly failure: string | null;
}

/**
 * Sends a request to a webhook endpoint over a new connection. Does not follow redirects. Resolves even if the receiver fails.
 *
 * @param signal cancels the request.
 */
export async function postWebhook(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  const { request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const sent = request(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": `Calltrack/${PROGRAM_VERSION}`,
      },
      // A connection that is kept open would fail after a restart of the receiver.
      agent: false,
      signal: AbortSignal.any([signal, deadline]),
    });
    const answered = waitForResponse(sent);
    sent.end(body);
    const response = await answered;
    // The connection may still fail while the rest of the response arrives.
    response.on("error", () => {}).resume();
    return answerOf(response.statusCode ?? 0);
  } catch (error) {
    return { status: null, failure: signal.aborted ? "interrupted" : describeFailure(error, deadline) };
  }
}

function answerOf(status: number): ReceiverResponse {
  if (status >= 200 && status < 300) return { status, failure: null };
  const hint = status >= 300 && status < 400 ? ": redirects are not followed" : "";
  return { status, failure: `the receiver answered ${status}${hint}` };
}

/** The failure texts, keyed by the Node.js error code. */
const FAILURES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the receiver refused the connection",
  ECONNRESET: "the receiver closed the connection without an answer",
  EPIPE: "the receiver closed the connection without an answer",
  ENOTFOUND: "the receiver's host name does not resolve to an address",
};

function describeFailure(error: unknown, deadline: AbortSignal): string {
  if (deadline.aborted) return `the receiver did not answer within ${TIMEOUT_MS / 1000} seconds`;
  const known = listCauseCodes(error).find((code) => code in FAILURES);
  return FAILURES[known ?? ""] ?? `the request failed: ${(error as Error).message}`;
}
