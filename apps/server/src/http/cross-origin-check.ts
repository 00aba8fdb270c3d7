import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import { isLoopbackHost } from "../config/loopback-host.js";
import { type PublicHost, parseHost } from "../config/public-hosts.js";
import type { HttpErrorReason } from "../errors/http-errors.js";
import type { RequestState } from "../observability/requests/request-state.js";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The default ports of HTTP and HTTPS, which browsers omit in Host and Origin headers. */
const DEFAULT_PORTS: readonly string[] = ["80", "443"];

/**
 * Creates the check that rejects requests from web pages of other origins. Without this check, any web page could use the API with the
 * browser's client certificate or, if authentication is off, without credentials. Health checks always pass. Webhooks always pass too,
 * because they are always authenticated.
 */
export function createCrossOriginCheck(
  config: Pick<Config, "auth" | "host" | "publicHosts">,
): (state: RequestState) => HttpErrorReason | undefined {
  const { auth } = config;
  const isKnownHost = createHostCheck(config);
  if (auth !== undefined && auth.certificates === undefined) return () => undefined;
  return ({ request, route }) => {
    if (route?.kind === "health" || route?.kind === "webhook") return undefined;
    // Web pages of other sites do not know API keys or access tokens, and the server ignores the certificate of such a request.
    if (auth !== undefined && request.header("authorization") !== undefined) return undefined;
    // DNS rebinding: the domain of a web page can resolve to this server's address. The browser then treats page and server as one origin.
    if (auth === undefined && !isKnownHost(request.header("host"))) return "HOST_UNKNOWN";
    // CORS does not suffice: browsers send simple requests without a preflight (https://fetch.spec.whatwg.org/#http-cors-protocol).
    return READS.has(request.method) || route?.kind === "public" || isOfOwnOrigin(request, config.publicHosts)
      ? undefined
      : "CROSS_SITE_REQUEST";
  };
}

/**
 * Creates a function that returns whether a Host header names a known host: a loopback host, or a host in the settings HOST or PUBLIC_HOSTS. If other
 * machines can connect, every IP address is known, because DNS rebinding needs a domain. A missing header passes, because browsers always send the
 * header.
 */
function createHostCheck({ host: listens, publicHosts }: Pick<Config, "host" | "publicHosts">) {
  const isLocal = isLoopbackHost(listens);
  let lastKnown: string | undefined;
  return (text: string | undefined): boolean => {
    if (text === undefined || text === lastKnown) return true;
    const host = parseHost(text);
    if (host === undefined) return false;
    const name = host.name.replace(/^\[|\]$/g, "");
    const isOwn = isLoopbackHost(name) || name === listens.toLowerCase() || (!isLocal && isIP(name) !== 0);
    if (!isOwn && !isPublic(host, publicHosts)) return false;
    lastKnown = text;
    return true;
  };
}

/** Whether a request comes from a page of this server, or from a client that is not a browser. */
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
