import { BlockList, isIP, isIPv6 } from "node:net";

/** The parts of a request that identify its client's address. */
export interface AddressedRequest {
  readonly peer: { readonly address: string };
  /** Returns the value of a header, whose name is in lower case. */
  header(name: string): string | undefined;
}

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An IP address with an optional port. */
const ADDRESS = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+)(?::\d+)?|([\da-f:.]+))$/i;

/** The header to which each proxy appends the address that it received the request from. */
const FORWARDING_HEADER = "x-forwarded-for";

/** The proxies whose `x-forwarded-for` header is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param text comma-separated addresses and networks, such as `10.0.0.0/8,2001:db8::1`; empty for none.
   * @throws TypeError if one is invalid. The message begins with "must be", for callers that prepend the setting's name.
   */
  constructor(text: string) {
    this.#isEmpty = text === "";
    if (this.#isEmpty) return;
    for (const each of text.split(",")) this.#add(each.trim());
  }

  has(address: string): boolean {
    if (this.#isEmpty) return false;
    const unmapped = removeIpv4Mapping(address);
    return isIP(unmapped) !== 0 && this.#list.check(unmapped, isIPv6(unmapped) ? "ipv6" : "ipv4");
  }

  /** The address of the client that sent a request: the last address that is not a trusted proxy. Empty if the connection is closed. */
  clientOf(request: AddressedRequest): string {
    const { address } = request.peer;
    if (!this.has(address)) return address;
    let client = address;
    const hops = (request.header(FORWARDING_HEADER) ?? "").split(",");
    for (const hop of hops.reverse().map(addressIn)) {
      // Stop at an invalid or hidden address: the addresses before it cannot be trusted.
      if (hop === undefined) return client;
      client = hop;
      if (!this.has(hop)) return client;
    }
    return client;
  }

  #add(text: string): void {
    const [address = "", bits, ...more] = text.split("/");
    const version = isIP(address);
    const maxBits = version === 6 ? 128 : 32;
    const isNumber = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
    if (version === 0 || !isNumber || more.length > 0) {
      throw new TypeError(`must be addresses or networks such as 10.0.0.0/8,2001:db8::1, not ${JSON.stringify(text)}`);
    }
    this.#list.addSubnet(address, bits === undefined ? maxBits : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
}

/** The key by which clients are counted: an IPv4 address, or the /64 network of an IPv6 address, which is usually one client's. */
export function networkOf(address: string): string {
  const unmapped = removeIpv4Mapping(address);
  return isIPv6(unmapped) ? firstFourGroups(unmapped) : unmapped;
}

function removeIpv4Mapping(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

function addressIn(text: string): string | undefined {
  const address = ADDRESS.exec(text.trim())
    ?.slice(1)
    .find((each) => each !== undefined);
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

/** The first four groups of an IPv6 address, with `::` expanded. */
function firstFourGroups(address: string): string {
  const [before = "", after] = address.split("::");
  const groups = before === "" ? [] : before.split(":");
  const rest = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill("0");
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(":")}::/64`;
}
