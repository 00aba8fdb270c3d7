import { findWebhookUrlProblem } from "@calltrack/domain";
import ipaddr from "ipaddr.js";

/** IPv6 prefixes that embed an IPv4 address, and the index of the IPv4 address's first byte (RFC 4291 section 2.5.5.2, RFC 6052, RFC 3056). */
const EMBEDDED = [
  { prefix: ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), start: 12 },
  { prefix: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), start: 12 },
  { prefix: ipaddr.IPv6.parseCIDR("2002::/16"), start: 2 },
] as const;

/** An address that looks public, but through which virtual machines on Azure access the Azure platform. */
const AZURE_PLATFORM = "168.63.129.16";

/** The global unicast addresses that are assigned to hosts on the Internet (RFC 4291 section 2.4). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address is public: a global unicast address, neither private nor reserved. An IPv4 address that is embedded in an IPv6 address
 * is checked as an IPv4 address. Returns false for text that is not an IP address.
 */
export function isPublicIpAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.parse(text);
  if (address instanceof ipaddr.IPv4) return isPublicIPv4(address);
  const embedded = EMBEDDED.find(({ prefix }) => address.match(prefix));
  if (embedded !== undefined) {
    const bytes = address.toByteArray().slice(embedded.start, embedded.start + 4);
    return isPublicIPv4(new ipaddr.IPv4(bytes));
  }
  return address.range() === "unicast" && address.match(GLOBAL_UNICAST);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast" && address.toString() !== AZURE_PLATFORM;
}

/** Returns the host of a URL if the host is an IP address; undefined if it is a name. */
export function findUrlIpAddress({ hostname }: URL): string | undefined {
  const host = hostname.replace(/^\[|\]$/g, "");
  return ipaddr.isValid(host) ? host : undefined;
}

/**
 * Creates a function that checks the URL of a webhook endpoint and returns the problem, in the form "must …"; undefined if the URL is valid.
 *
 * @param allowsPrivate the setting `WEBHOOKS_ALLOW_PRIVATE`.
 */
export function createWebhookUrlCheck(allowsPrivate: boolean) {
  return (url: string): string | undefined => {
    const problem = findWebhookUrlProblem(url, allowsPrivate);
    if (problem !== undefined || allowsPrivate) return problem;
    const address = findUrlIpAddress(new URL(url));
    if (address === undefined || isPublicIpAddress(address)) return undefined;
    return `must not lead to ${address}, which is not a public address: use a public host, or set WEBHOOKS_ALLOW_PRIVATE=on`;
  };
}
