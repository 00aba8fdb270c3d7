const MAX_URL_LENGTH = 2000;

/** The lowest port that is not in the range of the system ports (RFC 6335 section 6). */
const MIN_PORT = 1024;
const HTTPS_PORT = 443;

/**
 * The rule for the URL of a webhook endpoint. Does not check whether the host has a public address: the server checks that for each connection,
 * because the addresses of a host name change.
 *
 * @param allowsPrivate whether the operator allows `http` and every port.
 */
export function findWebhookUrlProblem(url: string, allowsPrivate: boolean): string | undefined {
  if (url.length > MAX_URL_LENGTH) return `must be at most ${MAX_URL_LENGTH} characters long`;
  const parsed = /[\s\p{C}]/u.test(url) ? null : URL.parse(url);
  if (parsed === null) return "must be a URL, such as https://crm.example.com/calltrack";
  const { protocol, port, username, password, hash } = parsed;
  if (protocol !== "https:" && !(allowsPrivate && protocol === "http:"))
    return allowsPrivate ? "must begin with https:// or http://" : "must begin with https://";
  if (username !== "" || password !== "")
    return "must not contain a user name or password: requests are authenticated by their signature";
  if (hash !== "" || url.includes("#")) return "must not contain a fragment: remove # and the text after it";
  const number = port === "" ? HTTPS_PORT : Number(port);
  if (!allowsPrivate && number !== HTTPS_PORT && number < MIN_PORT)
    return `must use port ${HTTPS_PORT} or a port from ${MIN_PORT} to 65535`;
  return undefined;
}
