import { isIP } from "node:net";
import { compile } from "proxy-addr";

/** Whether the X-Forwarded-For header from a proxy at this address is trusted. */
export type TrustedProxies = (address: string) => boolean;

/**
 * Parses comma-separated addresses and networks, such as `10.0.0.0/8,2001:db8::1`. An empty text trusts no proxies. Returns undefined if an
 * entry is invalid.
 */
export function parseTrustedProxies(text: string): TrustedProxies | undefined {
  const networks = text === "" ? [] : text.split(",").map((each) => each.trim());
  // `compile` also accepts names of networks and abbreviated addresses such as 10.1, which are easy to misread.
  if (!networks.every((network) => isIP(network.replace(/\/.*/, "")) !== 0)) return undefined;
  try {
    const isTrusted = compile(networks);
    return (address) => isTrusted(address, 0);
  } catch {
    return undefined;
  }
}
