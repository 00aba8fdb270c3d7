import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import type { TrustedProxies } from "../../config/trusted-proxies.js";

/** An address with a port, as some proxies forward it. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i;

/**
 * Returns the address of the client that sent a request: the last one that is not a trusted proxy. If a proxy forwards an invalid or hidden
 * address, returns the address of that proxy, because earlier addresses cannot be trusted.
 *
 * @param forwardedFor the X-Forwarded-For header, to which each proxy appends the address from which it received the request.
 */
export function clientAddress(
  isTrusted: TrustedProxies,
  socketAddress: string,
  forwardedFor: string | undefined,
): string {
  if (forwardedFor === undefined) return socketAddress;
  const hops = forwardedFor.split(",").map((hop) => hop.trim().replace(WITH_PORT, "$1$2"));
  const request = { socket: { remoteAddress: socketAddress }, headers: { "x-forwarded-for": hops.join() } };
  // proxy-addr reads no other fields of a request.
  const addresses = proxyAddr.all(request as unknown as IncomingMessage, isTrusted);
  return addresses.findLast((address) => isIP(address) !== 0) ?? socketAddress;
}

/** Returns the address of the client that sent a request; see `clientAddress`. Empty if the connection is closed. */
export function clientAddressOf(request: NodeRequest, isTrusted: TrustedProxies): string {
  return clientAddress(isTrusted, request.peer.address, request.header("x-forwarded-for"));
}

/**
 * Returns the key by which clients are counted: the IPv4 address, or the /64 network of the IPv6 address, which usually belongs to one
 * client. Empty for an empty address, as of a closed connection.
 */
export function networkOf(address: string): string {
  if (address === "") return "";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}
