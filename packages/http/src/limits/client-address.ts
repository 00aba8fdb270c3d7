import { BlockList, isIP, isIPv6 } from "node:net";
import type { Exchange, Peer } from "../exchange.js";

/** What tells where a request comes from. */
export type Addressed = Pick<Exchange, "headers"> & { readonly peer: Pick<Peer, "address"> };

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** An address with or without a port. */
const PLAIN = /^(?:\[([\da-f:.]+)\](?::\d+)?|([\d.]+)(?::\d+)?|([\da-f:.]+))$/i;

/** The header in which proxies name the client, and after it the proxies before them. */
const FORWARDING_HEADER = "x-forwarded-for";

/** The proxies whose word is taken for whom they forward. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param text addresses and networks with commas between them, such as `10.0.0.0/8,2001:db8::1`; empty for none.
   * @throws TypeError with a message that begins with "must be"
   */
  constructor(text: string) {
    this.#isEmpty = text === "";
    if (this.#isEmpty) return;
    for (const each of text.split(",")) this.#add(each.trim());
  }

  has(address: string): boolean {
    if (this.#isEmpty) return false;
    const plain = withoutMapping(address);
    return isIP(plain) !== 0 && this.#list.check(plain, isIPv6(plain) ? "ipv6" : "ipv4");
  }

  /** The address of whoever sent a request: of the last before the proxies that are trusted. Empty if the connection is closed. */
  clientOf({ peer, headers }: Addressed): string {
    const { address } = peer;
    if (!this.has(address)) return address;
    let client = address;
    for (const hop of hopsOf(headers).reverse()) {
      // What is no address, or was hidden, ends the way: what comes before it can be made up.
      if (hop === undefined) return client;
      client = hop;
      if (!this.has(hop)) return client;
    }
    return client;
  }

  #add(text: string): void {
    const [address = "", bits, ...more] = text.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const isNumber = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (version === 0 || !isNumber || more.length > 0) {
      throw new TypeError(`must be addresses or networks such as 10.0.0.0/8,2001:db8::1, not ${JSON.stringify(text)}`);
    }
    this.#list.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
}

/** An address as it is told apart from others: of IPv6 by its first 64 bits, as whoever has one of those has all of them. */
export function networkOf(address: string): string {
  const plain = withoutMapping(address);
  return isIPv6(plain) ? firstHalf(plain) : plain;
}

function withoutMapping(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

/** Whom each proxy says that it forwards, the first proxy first; undefined where that is no address. */
function hopsOf(headers: Addressed["headers"]): (string | undefined)[] {
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
