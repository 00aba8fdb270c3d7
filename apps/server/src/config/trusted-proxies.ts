import { isIP } from "node:net";
import { compile } from "proxy-addr";

/** Returns whether the X-Forwarded-For header is trusted in requests from an IP address. */
export type TrustedProxyCheck = (address: string) => boolean;

/**
 * Parses comma-separated IP addresses and networks of proxies, such as `10.0.0.0/8,2001:db8::1`. An empty text trusts no proxies. Returns
 * undefined if an entry is malformed.
 */
export function parseTrustedProxies(text: string): TrustedProxyCheck | undefined {
  const networks = text === "" ? [] : text.split(",").map((each) => each.trim());
  // `compile` would also accept names such as `loopback`, and abbreviated addresses such as 10.1, which are easy to misread.
  if (!networks.every((network) => isIP(network.replace(/\/.*/, "")) !== 0)) return undefined;
  try {
    const isTrusted = compile(networks);
    return (address) => isTrusted(address, 0);
  } catch {
    return undefined;
  }
}
