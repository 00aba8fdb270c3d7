import { isIPv6 } from "node:net";

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An address as it is told apart from others: of IPv6 by its first 64 bits, as whoever has one of those has all of them. */
export function networkOf(address: string): string {
  const [, mapped] = MAPPED_IPV4.exec(address) ?? [];
  if (mapped !== undefined) return mapped;
  return isIPv6(address) ? firstHalf(address) : address;
}

/** The first four groups, of which `::` may stand for some. */
function firstHalf(address: string): string {
  const [before = "", after] = address.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill("0");
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(":")}::/64`;
}
