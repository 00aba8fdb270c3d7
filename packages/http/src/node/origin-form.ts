import type { IncomingMessage } from "node:http";

/** Neither a user name (RFC 9110 section 4.2.4) nor another scheme (section 7.4): what has one stays as it is, and is refused. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)((?:[/?].*)?)$/i;

/**
 * Rewrites a request in absolute form, as a proxy sends it, to the origin form that all handlers know. Its host replaces the Host
 * header (RFC 9112 section 3.2.2).
 */
export function toOriginForm(request: IncomingMessage): void {
  const { url = "" } = request;
  if (url.startsWith("/")) return;
  const [, authority, rest = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (authority === undefined) return;
  request.url = rest.startsWith("/") ? rest : `/${rest}`;
  request.headers.host = authority;
}
