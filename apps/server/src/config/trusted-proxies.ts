import { BlockList, isIP, isIPv6 } from "node:net";
import { ConfigError } from "./config-error.js";

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The proxies whose word is taken for whom they forward. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /**
   * @param text addresses and networks with commas between them, such as `10.0.0.0/8,2001:db8::1`; empty for none.
   * @throws ConfigError
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

  #add(text: string): void {
    const [address = "", bits, ...more] = text.split("/");
    const version = isIP(address);
    const most = version === 6 ? 128 : 32;
    const isNumber = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (version === 0 || !isNumber || more.length > 0) {
      throw new ConfigError(
        `TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8,2001:db8::1, not ${JSON.stringify(text)}`,
      );
    }
    this.#list.addSubnet(address, bits === undefined ? most : Number(bits), version === 6 ? "ipv6" : "ipv4");
  }
}

/** An IPv4 address that is mapped to IPv6 as IPv4, and every other address unchanged. */
export function withoutMapping(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}
