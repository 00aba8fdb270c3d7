import { getDomain } from "tldts";

/**
 * Returns the registrable domain of a host, by the Public Suffix List (https://publicsuffix.org): shop.example for
 * m.shop.example, and alice.github.io for www.alice.github.io, because the list has the private suffix github.io. Returns a
 * host without one as it is: an IP address, `localhost`, and a suffix itself.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
