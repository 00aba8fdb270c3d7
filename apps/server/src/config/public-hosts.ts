/** A host that clients use in the URL of the server. */
export interface PublicHost {
  /** A lowercase domain name without a trailing dot, or an IP address. IPv6 addresses are in brackets. */
  readonly name: string;
  /** The port number as text; empty for any port. */
  readonly port: string;
}

const HOST = /^(?:[^[\]:/?#@\\*\s]+|\[[\da-f:.]+\])(?::(\d+))?$/i;

/** Parses a host with an optional port, as in a Host header. Returns undefined if the text is malformed. */
export function parseHost(text: string): PublicHost | undefined {
  const [whole, port = ""] = HOST.exec(text) ?? [];
  const url = whole === undefined ? null : URL.parse(`http://${whole}`);
  return url === null ? undefined : { name: url.hostname.replace(/\.$/, ""), port };
}

/** Parses comma-separated hosts, such as `calls.example.com,10.0.0.5:8080`. Returns undefined if any host is malformed. */
export function parsePublicHosts(text: string): readonly PublicHost[] | undefined {
  const hosts = text.split(",").map((each) => parseHost(each.trim()));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}
