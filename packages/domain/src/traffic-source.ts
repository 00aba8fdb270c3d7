import { CLICK_ID_PARAMETERS, type ClickIdParameter } from "./click-id-parameters.js";
import { isCrawler } from "./crawlers.js";
import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import { findKnownSite, hasServiceSubdomains, isPaymentOrSignInHost, listHostSuffixes } from "./known-sites.js";
import type { SourceMedium } from "./source-medium.js";
import { NO_MEDIUM } from "./source-name.js";
import { createHostAndSite, findOriginalHost, type VisitEvidence } from "./visit-evidence.js";

/** The source of a visit, and the rule that determined the source. */
export interface SourceDecision {
  /** The source and medium; undefined for a crawler. */
  readonly source: SourceMedium | undefined;
  readonly rule: SourceRule;
  /** Whether the visit is counted, because it is a new visit by a person. */
  readonly isCounted: boolean;
}

const DIRECT: SourceMedium = { source: "(direct)", medium: "(none)" };

const NETWORK_RULES = new Set([SourceRule.SEARCH_ENGINE, SourceRule.SOCIAL, SourceRule.AI_ASSISTANT]);

/** Matches the beginning of hosts that many providers use for webmail. The source of a visit from one of these hosts is the provider's site. */
const WEB_MAIL = /^(?:(?:web)?mail|webmailer|roundcube|horde|owa|zimbra|poczta|email)-?\d*\./;

/**
 * Determines the source of a visit from the first of these items in the evidence: the user agent of a crawler, `utm_source`, a click id, `ref`, the
 * referrer. A referrer from a known site takes precedence over `ref`.
 *
 * @param userAgent the User-Agent header of the request, which applies if the evidence contains no user agent.
 */
export function decideVisitSource(evidence: VisitEvidence, userAgent: string | undefined): SourceDecision {
  if (isCrawler(evidence.userAgent ?? userAgent)) {
    return { source: undefined, rule: SourceRule.CRAWLER, isCounted: false };
  }
  const { utmSource, utmMedium, ref, clickIds } = evidence;
  const referrers = listHostSuffixes(evidence.referrer?.host ?? "");
  const clicks = CLICK_ID_PARAMETERS.filter(
    ({ name, onlyFrom }) => clickIds.has(name) && (onlyFrom === undefined || referrers.includes(onlyFrom)),
  );
  const byReferrer = decideByReferrer(evidence);
  if (utmSource !== "") return decideByTag(utmSource, utmMedium, clicks[0]?.medium, byReferrer);
  const click = clicks.find((each) => !isContradicted(each, byReferrer));
  if (click !== undefined) return counted(SourceRule.CLICK_ID, click);
  const isOpen = byReferrer.rule === SourceRule.DIRECT || byReferrer.rule === SourceRule.REFERRAL;
  const isName = /\p{L}/u.test(ref) && !isNameOf(byReferrer, ref);
  return isOpen && isName ? decideByTag(ref, utmMedium, undefined, byReferrer) : byReferrer;
}

/** Reports whether a name is the source of the referrer, with or without the end of its domain: `producthunt` for producthunt.com. */
function isNameOf({ source }: SourceDecision, name: string): boolean {
  return `${source?.source}.`.startsWith(`${name}.`);
}

/** Determines the source of a visit from a source name in the URL. If the URL has no medium, derives the medium from other evidence. */
function decideByTag(
  name: string,
  medium: string,
  clickMedium: string | undefined,
  byReferrer: SourceDecision,
): SourceDecision {
  const assistant = findAssistant(name);
  const source = assistant?.source ?? name;
  const ofReferrer = isNameOf(byReferrer, source) ? byReferrer.source?.medium : undefined;
  return counted(SourceRule.CAMPAIGN, {
    source,
    medium: medium || assistant?.medium || clickMedium || ofReferrer || NO_MEDIUM,
  });
}

/**
 * Finds the AI assistant whose host or name is in `utm_source`. A visit with this `utm_source` gets the same source as a visit whose referrer is the
 * assistant. Ignores trailing punctuation, because punctuation after a link in a text can become a part of the link.
 */
function findAssistant(utmSource: string): SourceMedium | undefined {
  const site = findKnownSite(utmSource.replace(/^https?:\/\/|(?<!\p{P})\p{P}+$/gu, ""));
  return site?.rule === SourceRule.AI_ASSISTANT ? site : undefined;
}

function isContradicted(
  { source, yieldsTo }: ClickIdParameter,
  { source: referrer, rule, isCounted }: SourceDecision,
): boolean {
  if (yieldsTo === "site") return isCounted && rule !== SourceRule.DIRECT;
  return yieldsTo === "network" && NETWORK_RULES.has(rule) && referrer?.source !== source;
}

function decideByReferrer({ referrer, page, ignoredReferrers }: VisitEvidence): SourceDecision {
  if (referrer === undefined) return counted(SourceRule.DIRECT, DIRECT);
  if (referrer.site === page?.site) return notCounted(SourceRule.SAME_SITE);
  const cached = findCachedPage(referrer.host);
  const { host, site } = cached?.publisher === undefined ? referrer : createHostAndSite(cached.publisher);
  // If the AMP cache shows a page of this site or an unknown page, the visitor came from search results. Otherwise, the cached page of another site
  // links to this page.
  if (cached !== undefined && (host === referrer.host || site === page?.site)) {
    return counted(SourceRule.AMP_CACHE, { source: cached.engine, medium: "organic" });
  }
  const isIgnored =
    isPaymentOrSignInHost(host) || listHostSuffixes(host).some((suffix) => ignoredReferrers.includes(suffix));
  if (isIgnored) return notCounted(SourceRule.IGNORED_REFERRER);
  const known = findKnownSite(host);
  if (known !== undefined) return counted(known.rule, known);
  if (host !== site && WEB_MAIL.test(host)) return counted(SourceRule.EMAIL, { source: site, medium: "email" });
  return counted(SourceRule.REFERRAL, { source: hasServiceSubdomains(site) ? host : site, medium: "referral" });
}

/** The hosts of AMP caches, and the search engine that shows the pages of each cache. */
const AMP_CACHES = [
  { cache: "cdn.ampproject.org", engine: "google" },
  { cache: "bing-amp.com", engine: "bing" },
  { cache: "turbopages.org", engine: "yandex" },
];

/** Returns the search engine of an AMP cache, and the host of the original page if the cache's host contains it. Undefined for other hosts. */
function findCachedPage(host: string): { readonly engine: string; readonly publisher: string | undefined } | undefined {
  const found = AMP_CACHES.find(({ cache }) => listHostSuffixes(host).includes(cache));
  if (found === undefined) return undefined;
  return { engine: found.engine, publisher: findOriginalHost(host, found.cache) };
}

function counted(rule: SourceRule, { source, medium }: SourceMedium): SourceDecision {
  return { source: { source, medium }, rule, isCounted: true };
}

/** Returns the decision for a visitor who returned to the site, which is not a new visit. */
function notCounted(rule: SourceRule): SourceDecision {
  return { source: DIRECT, rule, isCounted: false };
}
