import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import { isLoopback } from "../config/loopback.js";
import { type PublicHost, parseHost } from "../config/public-hosts.js";
import type { RefusalReason } from "../errors/http-errors.js";
import type { RequestState } from "../observability/requests/request-state.js";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The ports that browsers omit in Host and Origin headers. */
const DEFAULT_PORTS: readonly string[] = ["80", "443"];

/**
 * Creates the check that rejects requests from web pages of other origins. Without it, such a page could do all that the browser may do:
 * everything if authentication is off, or whatever the browser's client certificate permits. Health checks always pass, and so do
 * webhooks, because they are always authenticated.
 */
export function createForeignPageCheck(
  config: Pick<Config, "auth" | "host" | "publicHosts">,
): (state: RequestState) => RefusalReason | undefined {
  const { auth } = config;
  const isKnownHost = createHostCheck(config);
  if (auth !== undefined && auth.certificates === undefined) return () => undefined;
  return ({ request, route }) => {
    if (route?.kind === "health" || route?.kind === "webhook") return undefined;
    // The domain of a web page can resolve to this server's address (DNS rebinding). For the browser, both are then the same origin.
    if (auth === undefined && !isKnownHost(request.header("host"))) return "HOST_UNKNOWN";
    // Browsers send simple cross-origin requests without a preflight (https://fetch.spec.whatwg.org/#http-cors-protocol).
    return READS.has(request.method) || route?.kind === "public" || isOfOwnOrigin(request, config.publicHosts)
      ? undefined
      : "CROSS_SITE_REQUEST";
  };
}

/**
 * Creates the function that tells whether a Host header is known: a loopback host, or a host in the settings HOST or PUBLIC_HOSTS. If other
 * machines can connect, IP addresses are known too, because no page can rebind them. A missing header passes: browsers always send one.
 */
function createHostCheck({ host: listens, publicHosts }: Pick<Config, "host" | "publicHosts">) {
  const isLocal = isLoopback(listens);
  let lastKnown: string | undefined;
  return (text: string | undefined): boolean => {
    if (text === undefined || text === lastKnown) return true;
    const host = parseHost(text);
    if (host === undefined) return false;
    const name = host.name.replace(/^\[|\]$/g, "");
    const isOwn = isLoopback(name) || name === listens.toLowerCase() || (!isLocal && isIP(name) !== 0);
    if (!isOwn && !isPublic(host, publicHosts)) return false;
    lastKnown = text;
    return true;
  };
}

/** Whether the request comes from a page of this server, or not from a browser. */
function isOfOwnOrigin(request: NodeRequest, publicHosts: readonly PublicHost[]): boolean {
  const site = request.header("sec-fetch-site");
  if (site !== undefined) return site === "same-origin" || site === "none";
  const origin = request.header("origin");
  if (origin === undefined) return true;
  const url = URL.parse(origin);
  if (url === null || !url.protocol.startsWith("http")) return false;
  const own = URL.parse(`${url.protocol}//${request.header("host")}`);
  const host = parseHost(url.host);
  return url.host === own?.host || (host !== undefined && isPublic(host, publicHosts));
}

function isPublic({ name, port }: PublicHost, publicHosts: readonly PublicHost[]): boolean {
  const ports = port === "" ? DEFAULT_PORTS : [port];
  return publicHosts.some((each) => each.name === name && (each.port === "" || ports.includes(each.port)));
}
