import { isIP, isIPv6 } from "node:net";
import { type TrustedProxies, withoutMapping } from "../../config/trusted-proxies.js";
import { requestSocket } from "../../observability/requests/request-socket.js";
import type { RequestSource } from "../../observability/requests/request-source.js";

/** The header in which proxies name the client, and after it the proxies before them. */
const FORWARDING_HEADER = "x-forwarded-for";

/** An address with or without a port. */
const PLAIN = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+)(?::\d+)?|([\da-f:.]+))$/i;

/** The address of whoever sent a request: of the last before the proxies that are trusted. Empty if the connection is closed. */
export function clientOf(request: RequestSource, proxies: TrustedProxies): string {
  const peer = requestSocket(request).remoteAddress ?? "";
  if (!proxies.has(peer)) return peer;
  let client = peer;
  for (const hop of hopsOf(request.headers).reverse()) {
    // What is no address, or was hidden, ends the way: what comes before it can be made up.
    if (hop === undefined) return client;
    client = hop;
    if (!proxies.has(hop)) return client;
  }
  return client;
}

/** An address as it is told apart from others: of IPv6 by its first 64 bits, as whoever has one of those has all of them. */
export function networkOf(address: string): string {
  const plain = withoutMapping(address);
  return isIPv6(plain) ? firstHalf(plain) : plain;
}

/** Whom each proxy says that it forwards, the first proxy first; undefined where that is no address. */
function hopsOf(headers: RequestSource["headers"]): (string | undefined)[] {
  return splitList(headers[FORWARDING_HEADER] ?? []).map((each) => addressIn(PLAIN.exec(each)));
}

function splitList(value: string | readonly string[]): string[] {
  return [value]
    .flat()
    .flatMap((each) => each.split(","))
    .map((each) => each.trim());
}

function addressIn(match: RegExpExecArray | null): string | undefined {
  const address = match?.slice(1).find((each) => each !== undefined);
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

/** The first four groups, of which `::` may stand for some. */
function firstHalf(address: string): string {
  const [before = "", after] = address.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill("0");
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(":")}::/64`;
}
