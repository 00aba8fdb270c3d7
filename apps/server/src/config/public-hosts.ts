/** A host in the URLs that reach the server. */
export interface PublicHost {
  /** A lowercase name without a trailing dot, or an address; an IPv6 address is in brackets. */
  readonly name: string;
  /** Empty for any port. */
  readonly port: string;
}

const HOST = /^(?:[^[\]:/?#@\\*\s]+|\[[\da-f:.]+\])(?::(\d+))?$/i;

/** Parses a host and its port, as in a Host header; undefined if the text is malformed. */
export function parseHost(text: string): PublicHost | undefined {
  const [whole, port = ""] = HOST.exec(text) ?? [];
  const url = whole === undefined ? null : URL.parse(`http://${whole}`);
  return url === null ? undefined : { name: url.hostname.replace(/\.$/, ""), port };
}

/** Parses comma-separated hosts, such as `calls.example.com,10.0.0.5:8080`. Returns undefined if one is invalid. */
export function parsePublicHosts(text: string): readonly PublicHost[] | undefined {
  const hosts = text.split(",").map((each) => parseHost(each.trim()));
  return hosts.every((host) => host !== undefined) ? hosts : undefined;
}
