import type { IncomingMessage } from "node:http";
import { Code, ConnectError } from "@connectrpc/connect";
import { createProxyAgent } from "./proxy-agent.js";
import { readTlsOptions, type TlsFiles } from "./tls-options.js";

/** A request to the JSON API. */
export interface HttpRequest {
  readonly method: string;
  /** Relative to the server's URL, with a leading slash. */
  readonly path: string;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** The options of a command that a request to the JSON API uses. */
export interface HttpOptions extends TlsFiles {
  readonly server: string;
  readonly key?: string | undefined;
  /** In milliseconds. */
  readonly timeout: number;
}

/**
 * Sends a request to the server's JSON API.
 *
 * @throws ConnectError if no response arrives before the timeout, or if `stop` aborts.
 */
export async function sendHttpRequest(
  options: HttpOptions,
  stop: AbortSignal,
  { method, path, body }: HttpRequest,
): Promise<IncomingMessage> {
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
    const answer = answerOf(sent);
    sent.end(body);
    return await answer;
  } catch (error) {
    const code = deadline.aborted ? Code.DeadlineExceeded : Code.Unavailable;
    throw new ConnectError(
      deadline.aborted ? "the request timed out" : String(error),
      code,
      undefined,
      undefined,
      error,
    );
  }
}

function answerOf(sent: NodeJS.EventEmitter): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => sent.once("response", resolve).once("error", reject));
}
