import { getDomain } from "tldts";

/**
 * Returns the registrable domain of a host, according to the Public Suffix List (https://publicsuffix.org): shop.example for m.shop.example,
 * and alice.github.io for www.alice.github.io, because the list includes the private suffix github.io. Returns the host itself if it has no
 * registrable domain, as for an IP address, `localhost` or a suffix.
 */
export function findRegistrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
