import type { Agent } from "node:http";
import { isLoopbackUrl } from "./loopback-url.js";

/**
 * Returns an agent that sends HTTP/1.1 requests through the proxy in HTTPS_PROXY or, for an http URL, in HTTP_PROXY, unless NO_PROXY names the
 * server. Returns undefined if there is no proxy or the server is on this machine.
 *
 * Node.js applies these variables only from versions 22.21 and 24.5 onward.
 */
export function createProxyAgent(server: string): Agent | undefined {
  const scheme = server.startsWith("https:") ? "https" : "http";
  const proxy = process.env[`${scheme}_proxy`] || process.env[`${scheme.toUpperCase()}_PROXY`];
  if (!proxy || isLoopbackUrl(server)) return undefined;
  // Loading the modules takes long, and few commands need them.
  const { Agent } = scheme === "https" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  return new Agent({ proxyEnv: process.env });
}
