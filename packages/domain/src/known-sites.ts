import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import {
  ADDED_SITES,
  EXACT_HOSTS,
  PAYMENT_PROVIDERS,
  REMOVED_HOSTS,
  RENAMED_SOURCES,
  SIGN_IN_PAGES,
  type SiteLists,
} from "./known-site-additions.js";
import referrerList from "./referrer-list.json" with { type: "json" };
import type { SourceMedium } from "./source-medium.js";

/** The source of visits from a search engine, social network, AI assistant, webmail site or ad server. */
export interface KnownSite extends SourceMedium {
  readonly rule: SourceRule;
}

/** The sites, by host without `www.`. A host that ends in `.{}` stands for all country domains. Later lists take precedence. */
const SITES: ReadonlyMap<string, KnownSite> = new Map([...listSites(referrerList), ...listSites(ADDED_SITES)]);

/**
 * Returns the site to which a host belongs: the one with the longest matching suffix.
 *
 * @param host in lower case, without `www.`, or the id of an Android app.
 */
export function findKnownSite(host: string): KnownSite | undefined {
  for (const suffix of suffixesOf(host)) {
    const key = SITES.has(suffix) ? suffix : withoutCountry(suffix);
    const site = SITES.get(key);
    if (site === undefined) continue;
    // Subdomains for mobile pages and countries, such as m.google.com and fr.yahoo.com, are not other services.
    return !EXACT_HOSTS.has(key) || /^(?:\w\w?\.)?$/.test(host.slice(0, -suffix.length)) ? site : undefined;
  }
  return undefined;
}

/** The sites, by the names of their sources. If a webmail site and a search engine share a name, it stands for the search engine. */
const SITES_BY_SOURCE: ReadonlyMap<string, KnownSite> = new Map(
  [...SITES.values()].reverse().map((site) => [site.source, site]),
);

export function findKnownSource(source: string): KnownSite | undefined {
  return SITES_BY_SOURCE.get(source);
}

/** Whether the subdomains of a site are different services, such as docs.google.com. */
export function isPortal(site: string): boolean {
  return EXACT_HOSTS.has(site) || EXACT_HOSTS.has(withoutCountry(site));
}

/** Whether visitors return from a host after they paid or signed in. */
export function isReturnPage(host: string): boolean {
  return suffixesOf(host).some((suffix) => {
    const country = withoutCountry(suffix);
    return [PAYMENT_PROVIDERS, SIGN_IN_PAGES].some((pages) => pages.has(suffix) || pages.has(country));
  });
}

/** Lists a host and its parents: a.b.c, b.c, c. */
export function suffixesOf(host: string): readonly string[] {
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
}: SiteLists): [string, KnownSite][] {
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
    const kept = hosts.split(" ").filter((host) => !REMOVED_HOSTS.has(host));
    return kept.map((host): [string, KnownSite] => [host, { source, medium, rule }]);
  });
}
