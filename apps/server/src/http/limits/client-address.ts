import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import type { NodeRequest } from "@calltrack/transcoding/node";
import ipaddr from "ipaddr.js";
import proxyAddr from "proxy-addr";
import type { TrustedProxies } from "../../config/trusted-proxies.js";

/** An address with a port, as some proxies forward it. */
const WITH_PORT = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+):\d+)$/i;

/**
 * The address of the client that sent a request: the last one that is not a trusted proxy. If a proxy forwards an invalid or
 * hidden address, that proxy: the addresses before it cannot be trusted.
 *
 * @param socketAddress the address of the connection's peer.
 * @param forwardedFor the X-Forwarded-For header, to which each proxy appends the address that it received the request from.
 */
export function clientAddress(
  isTrusted: TrustedProxies,
  socketAddress: string,
  forwardedFor: string | undefined,
): string {
  if (forwardedFor === undefined) return socketAddress;
  const hops = forwardedFor.split(",").map((hop) => hop.trim().replace(WITH_PORT, "$1$2"));
  const request = { socket: { remoteAddress: socketAddress }, headers: { "x-forwarded-for": hops.join() } };
  // These are all the fields that proxy-addr reads.
  const addresses = proxyAddr.all(request as unknown as IncomingMessage, isTrusted);
  return addresses.findLast((address) => isIP(address) !== 0) ?? socketAddress;
}

/** The address of the client that sent a request; see `clientAddress`. Empty if the connection is closed. */
export function clientAddressOf(request: NodeRequest, isTrusted: TrustedProxies): string {
  return clientAddress(isTrusted, request.peer.address, request.header("x-forwarded-for"));
}

/**
 * The key by which clients are counted: an IPv4 address, or the /64 network of an IPv6 address, which is usually one client's.
 * Empty for a closed connection, whose address is empty.
 */
export function networkOf(address: string): string {
  if (address === "") return "";
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return `${parsed.toNormalizedString().split(":").slice(0, 4).join(":")}::/64`;
}
