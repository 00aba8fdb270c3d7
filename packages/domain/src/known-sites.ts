import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import {
  ADDITIONAL_KNOWN_SITES,
  EXACT_MATCH_HOSTS,
  type KnownSiteLists,
  PAYMENT_PROVIDER_HOSTS,
  REMOVED_REFERRER_HOSTS,
  RENAMED_SOURCES,
  SIGN_IN_HOSTS,
} from "./known-site-additions.js";
import referrerList from "./referrer-list.json" with { type: "json" };
import type { SourceMedium } from "./source-medium.js";

/** The source and medium of visits from a known search engine, social network, AI assistant, webmail site or ad server. */
export interface KnownSite extends SourceMedium {
  readonly rule: SourceRule;
}

/** The known sites, keyed by the host without `www.`. A host that ends in `.{}` stands for all country domains. Later lists take precedence. */
const SITES: ReadonlyMap<string, KnownSite> = new Map([
  ...listSites(referrerList),
  ...listSites(ADDITIONAL_KNOWN_SITES),
]);

/**
 * Finds the known site to which a host belongs: the site whose host is the longest suffix of the given one.
 *
 * @param host a host in lower case, without `www.`, or the id of an Android app.
 */
export function findKnownSite(host: string): KnownSite | undefined {
  for (const suffix of listHostSuffixes(host)) {
    const key = SITES.has(suffix) ? suffix : withoutCountry(suffix);
    const site = SITES.get(key);
    if (site === undefined) continue;
    // Subdomains for mobile pages and countries, such as m.google.com and fr.yahoo.com, are the same service.
    return !EXACT_MATCH_HOSTS.has(key) || /^(?:\w\w?\.)?$/.test(host.slice(0, -suffix.length)) ? site : undefined;
  }
  return undefined;
}

/** The known sites, keyed by the source. A source name that a webmail site and a search engine share stands for the search engine. */
const SITES_BY_SOURCE: ReadonlyMap<string, KnownSite> = new Map(
  [...SITES.values()].reverse().map((site) => [site.source, site]),
);

export function findKnownSiteBySource(source: string): KnownSite | undefined {
  return SITES_BY_SOURCE.get(source);
}

/** Reports whether the subdomains of a site are separate services, such as docs.google.com. */
export function hasServiceSubdomains(site: string): boolean {
  return EXACT_MATCH_HOSTS.has(site) || EXACT_MATCH_HOSTS.has(withoutCountry(site));
}

/** Reports whether visitors return from a host because they paid or signed in there. */
export function isPaymentOrSignInHost(host: string): boolean {
  return listHostSuffixes(host).some((suffix) => {
    const country = withoutCountry(suffix);
    return [PAYMENT_PROVIDER_HOSTS, SIGN_IN_HOSTS].some((pages) => pages.has(suffix) || pages.has(country));
  });
}

/** Lists a host and its parent domains, longest first: a.b.c, b.c, c. */
export function listHostSuffixes(host: string): readonly string[] {
  const labels = host.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}

/** Replaces the country domain of a host with `{}`: google.{} for google.de and google.co.uk. */
function withoutCountry(host: string): string {
  return host.replace(/\.(?:(?:com?|org|net|it|edu)\.)?[a-z]{2}$/, ".{}");
}

function listSites({
  searchEngines,
  socialNetworks,
  aiAssistants,
  webMailers = {},
  adServers = {},
}: KnownSiteLists): [string, KnownSite][] {
  return [
    ...listHosts(searchEngines, "organic", SourceRule.SEARCH_ENGINE),
    ...listHosts(socialNetworks, "social", SourceRule.SOCIAL),
    ...listHosts(aiAssistants, "ai-assistant", SourceRule.AI_ASSISTANT),
    ...listHosts(webMailers, "email", SourceRule.EMAIL),
    ...listHosts(adServers, "display", SourceRule.AD_SERVER),
  ];
}

function listHosts(sites: Readonly<Record<string, string>>, medium: string, rule: SourceRule): [string, KnownSite][] {
  return Object.entries(sites).flatMap(([name, hosts]) => {
    const source = RENAMED_SOURCES.get(name) ?? name.toLowerCase();
    const kept = hosts.split(" ").filter((host) => !REMOVED_REFERRER_HOSTS.has(host));
    return kept.map((host): [string, KnownSite] => [host, { source, medium, rule }]);
  });
}
