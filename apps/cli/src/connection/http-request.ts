import { text } from "node:stream/consumers";
import { Code, ConnectError } from "@connectrpc/connect";
import { createProxyAgent } from "./proxy-agent.js";
import { readTlsOptions, type TlsFilePaths } from "./tls-options.js";
import { waitForResponse } from "./wait-for-response.js";

export interface HttpRequest {
  readonly method: string;
  /** Relative to the server's URL, with a leading slash. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
}

export interface HttpResponse {
  readonly statusCode: number;
  readonly statusMessage: string;
  readonly body: string;
  /** The server's time as an HTTP-date (RFC 9110 section 5.6.7). */
  readonly date: string | undefined;
}

/** The global options that apply to a request to the JSON API. */
export interface HttpRequestOptions extends TlsFilePaths {
  readonly server: string;
  readonly key?: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

/**
 * Sends a request to the server's JSON API.
 *
 * @throws ConnectError if no complete response arrives before the timeout, or if `stop` aborts.
 */
export async function sendHttpRequest(
  options: HttpRequestOptions,
  stop: AbortSignal,
  { method, path, body }: HttpRequest,
): Promise<HttpResponse> {
  const { server, key, timeout } = options;
  const { request } = server.startsWith("https:") ? await import("node:https") : await import("node:http");
  const deadline = AbortSignal.timeout(timeout);
  const headers = {
    accept: "application/json",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(key && { authorization: `Bearer ${key}` }),
  };
  const signal = AbortSignal.any([stop, deadline]);
  const agent = createProxyAgent(server) ?? false;
  const sent = request(server + path, { method, headers, signal, agent, ...readTlsOptions(options) });
  try {
    const answered = waitForResponse(sent);
    sent.end(body);
    const response = await answered;
    const { statusCode = 0, statusMessage = "", headers: fields } = response;
    return { statusCode, statusMessage, body: await text(response), date: fields.date };
  } catch (error) {
    if (deadline.aborted) throw new ConnectError("the request timed out", Code.DeadlineExceeded);
    throw new ConnectError(String(error), Code.Unavailable, undefined, undefined, error);
  }
}
