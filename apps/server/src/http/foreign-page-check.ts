import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import type { Config } from "../config/config.js";
import { isLoopback } from "../config/loopback.js";
import { type PublicHost, parseHost } from "../config/public-hosts.js";
import type { RefusalReason } from "../errors/http-errors.js";
import type { RequestState } from "../observability/requests/request-state.js";

const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The ports that browsers omit. */
const DEFAULT_PORTS: readonly string[] = ["80", "443"];

/**
 * Creates the check that keeps web pages of other origins from using what a browser may do: everything if the server
 * authenticates nobody, and whatever its client certificate permits. Health checks are never refused, nor webhooks of phone systems, which
 * always authenticate.
 */
export function createForeignPageCheck(
  config: Pick<Config, "auth" | "host" | "publicHosts">,
): (state: RequestState) => RefusalReason | undefined {
  const { auth } = config;
  const isKnownHost = createHostCheck(config);
  if (auth !== undefined && auth.certificates === undefined) return () => undefined;
  return ({ request, route }) => {
    if (route?.kind === "health" || route?.kind === "webhook") return undefined;
    // A page can let its own name resolve to the address of this server (DNS rebinding). For the browser, both are then one origin.
    if (auth === undefined && !isKnownHost(request.header("host"))) return "HOST_UNKNOWN";
    // Browsers send simple requests of other origins without asking the server (https://fetch.spec.whatwg.org/#http-cors-protocol).
    return READS.has(request.method) || route?.kind === "public" || isOfOwnOrigin(request, config.publicHosts)
      ? undefined
      : "CROSS_SITE_REQUEST";
  };
}

/**
 * Creates the check of Host headers. Knows the hosts of this machine, those in the settings and, if other machines can connect, all IP
 * addresses, because no page can rebind them. Browsers always send the header.
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

/** Whether a page of this server sent the request, or no browser did. */
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
