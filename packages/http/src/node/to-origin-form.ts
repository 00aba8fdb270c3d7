import type { IncomingMessage } from "node:http";

/** An http or https URL without user information (RFC 9110 section 4.2.4). Other absolute targets are refused later (section 7.4). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)((?:[/?].*)?)$/i;

/**
 * Rewrites a request target from absolute form, which clients of proxies send, to origin form. Its authority replaces the Host header
 * (RFC 9112 section 3.2.2).
 */
export function toOriginForm(request: IncomingMessage): void {
  const { url = "" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority;
}
