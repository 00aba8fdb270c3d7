/** The parts of a SIP URI (RFC 3261 section 19.1) that decide whether the URI may be dialed. */
interface SipUri {
  /** The host, in lower case. */
  readonly host: string;
  /** The user, if it is a number in E.164 format; undefined for other users. */
  readonly number: string | undefined;
}

const SIP_URI =
  /^sip:([a-z0-9+][a-z0-9+._-]{0,63})@([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::[1-9]\d{0,4})?(?:;transport=(?:udp|tcp|tls))?$/i;

const MAX_HOST_LENGTH = 253;
const IPV6 = /^\[[0-9a-f:.]{2,45}\]$/i;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/i;

const NUMBER = /^\+[1-9]\d{1,14}$/;

/** Matches users that a gateway would dial as a phone number, because it ignores separators. Extensions are shorter. */
const LIKE_NUMBER = /^[+._-]*(?:\d[+._-]*){7,}$/;

/**
 * Reads a SIP URI that consists of a user, a host and, optionally, a port and a transport. Returns undefined for other texts, because further
 * parameters and headers could change which phone rings.
 */
export function readSipUri(uri: string): SipUri | undefined {
  const [, user, host] = SIP_URI.exec(uri) ?? [];
  if (user === undefined || host === undefined || findSipHostProblem(host) !== undefined) return undefined;
  return { host: host.toLowerCase(), number: NUMBER.test(user) ? user : undefined };
}

/** The rule for SIP URIs in a call flow. If the user looks like a phone number, it must be in E.164 format. */
export function findSipUriProblem(uri: string): string | undefined {
  if (readSipUri(uri) === undefined) {
    return "must be a SIP URI, such as sip:reception@pbx.example.com, which may state a port and a transport";
  }
  const user = uri.slice("sip:".length, uri.indexOf("@"));
  return LIKE_NUMBER.test(user) && !NUMBER.test(user)
    ? "must contain + and the country code if the part before the @ is a phone number, such as sip:+12223334444@pbx.example.com"
    : undefined;
}

/** The rule for the host of a SIP URI: a host name or an IP address, without a port. */
export function findSipHostProblem(host: string): string | undefined {
  const isName = host.length <= MAX_HOST_LENGTH && host.split(".").every((label) => LABEL.test(label));
  return isName || IPV6.test(host) ? undefined : "must be a host name or an IP address, such as pbx.example.com";
}
