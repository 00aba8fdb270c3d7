import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import type { TrustedProxyCheck } from "../../config/trusted-proxies.js";

/** Matches an IPv4 address with a port, or an IPv6 address in brackets with an optional port. Some proxies append the port in X-Forwarded-For. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i;

/**
 * Returns the address of the client that sent a request: the last forwarded address that is not a trusted proxy. If a proxy forwards an
 * invalid or hidden address, returns the address of that proxy, because earlier addresses cannot be trusted.
 *
 * @param forwardedFor the X-Forwarded-For header, to which each proxy appends the address from which it received the request.
 */
export function resolveClientAddress(
  isTrusted: TrustedProxyCheck,
  socketAddress: string,
  forwardedFor: string | undefined,
): string {
  if (forwardedFor === undefined) return socketAddress;
  const hops = forwardedFor.split(",").map((hop) => hop.trim().replace(WITH_PORT, "$1$2"));
  const request = { socket: { remoteAddress: socketAddress }, headers: { "x-forwarded-for": hops.join() } };
  // proxy-addr reads only these two fields of a request.
  const addresses = proxyAddr.all(request as unknown as IncomingMessage, isTrusted);
  return addresses.findLast((address) => isIP(address) !== 0) ?? socketAddress;
}

/** Returns the address of the client that sent a request, directly or through trusted proxies. Empty if the connection is closed. */
export function readClientAddress(request: NodeRequest, isTrusted: TrustedProxyCheck): string {
  return resolveClientAddress(isTrusted, request.peer.address, request.header("x-forwarded-for"));
}

/**
 * Returns the key under which limits count a client: its IPv4 address, or the /64 network of its IPv6 address, which usually belongs to one
 * client. Returns an empty text for an empty address, which closed connections have.
 */
export function toClientNetwork(address: string): string {
  if (address === "") return "";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}
