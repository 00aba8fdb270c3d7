import type { Agent } from "node:http";
import { UsageError } from "../process/usage-error.js";
import { isLoopbackUrl } from "./loopback-url.js";

/**
 * Returns an agent that sends HTTP/1.1 requests through the proxy in HTTPS_PROXY or, for an http URL, in HTTP_PROXY, unless NO_PROXY names the
 * server. Returns undefined if there is no proxy or the server is on this machine.
 *
 * Node.js applies these variables only from versions 22.21 and 24.5 onward.
 *
 * @throws UsageError if the URL of the proxy is malformed, or not an http or https URL.
 */
export function createProxyAgent(server: string): Agent | undefined {
  const scheme = server.startsWith("https:") ? "https" : "http";
  const [lower, upper] = [`${scheme}_proxy`, `${scheme.toUpperCase()}_PROXY`];
  const name = process.env[lower] ? lower : upper;
  const proxy = process.env[name];
  if (!proxy || isLoopbackUrl(server)) return undefined;
  // Like curl, reads a proxy without a scheme as an http URL. Node.js would ignore the proxy.
  const url = proxy.includes("://") ? proxy : `http://${proxy}`;
  // Node.js would ignore a SOCKS proxy, and connect to the server directly.
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      `${name} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128: set ${name} for this command, or set it to an empty text to connect without a proxy`,
    );
  }
  // Loading the modules takes long, and few commands need them.
  const { Agent } = scheme === "https" ? process.getBuiltinModule("node:https") : process.getBuiltinModule("node:http");
  return new Agent({ proxyEnv: { ...process.env, [lower]: url } });
}
