import { CLICK_IDS, type ClickId } from "./click-ids.js";
import { isCrawler } from "./crawlers.js";
import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import { findKnownSite, isPortal, isReturnPage, suffixesOf } from "./known-sites.js";
import type { SourceMedium } from "./source-medium.js";
import { NO_MEDIUM } from "./source-name.js";
import { findPublisher, hostAndSiteOf, type VisitEvidence } from "./visit-evidence.js";

/** The source of a visit, and the rule that determined it. */
export interface SourceDecision {
  /** Undefined for a crawler. */
  readonly source: SourceMedium | undefined;
  readonly rule: SourceRule;
  /** Whether this is a new visit by a person. */
  readonly isCounted: boolean;
}

const DIRECT: SourceMedium = { source: "(direct)", medium: "(none)" };

const NETWORK_RULES = new Set([SourceRule.SEARCH_ENGINE, SourceRule.SOCIAL, SourceRule.AI_ASSISTANT]);

/** Matches the beginning of the hosts of webmail sites at many providers. The site is then the source. */
const WEB_MAIL = /^(?:(?:web)?mail|webmailer|roundcube|horde|owa|zimbra|poczta|email)-?\d*\./;

/**
 * Determines the source of a visit from the first of these in the evidence: the user agent of a crawler, `utm_source`, a click id, `ref`
 * unless the referrer is a known site, the referrer.
 *
 * @param userAgent the User-Agent header of the request, which applies if the evidence has none.
 */
export function decideSource(evidence: VisitEvidence, userAgent: string | undefined): SourceDecision {
  if (isCrawler(evidence.userAgent ?? userAgent)) {
    return { source: undefined, rule: SourceRule.CRAWLER, isCounted: false };
  }
  const { utmSource, utmMedium, ref, clickIds } = evidence;
  const referrers = suffixesOf(evidence.referrer?.host ?? "");
  const clicks = CLICK_IDS.filter(
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

/** Whether a name is the referrer's source, with or without its domain: `producthunt` for producthunt.com. */
function isNameOf({ source }: SourceDecision, name: string): boolean {
  return `${source?.source}.`.startsWith(`${name}.`);
}

/** Uses the name of a source in the URL. If the URL has no medium, it follows from other evidence. */
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
 * Finds the AI assistant whose host or name is a `utm_source`, so that it has the same source as by its referrer. Ignores punctuation at the
 * end: the punctuation after a link in a text can become a part of the link.
 */
function findAssistant(utmSource: string): SourceMedium | undefined {
  const site = findKnownSite(utmSource.replace(/^https?:\/\/|(?<!\p{P})\p{P}+$/gu, ""));
  return site?.rule === SourceRule.AI_ASSISTANT ? site : undefined;
}

function isContradicted({ source, yieldsTo }: ClickId, { source: referrer, rule, isCounted }: SourceDecision): boolean {
  if (yieldsTo === "site") return isCounted && rule !== SourceRule.DIRECT;
  return yieldsTo === "network" && NETWORK_RULES.has(rule) && referrer?.source !== source;
}

function decideByReferrer({ referrer, page, ignoredReferrers }: VisitEvidence): SourceDecision {
  if (referrer === undefined) return counted(SourceRule.DIRECT, DIRECT);
  if (referrer.site === page?.site) return notCounted(SourceRule.SAME_SITE);
  const cached = findCachedPage(referrer.host);
  const { host, site } = cached?.publisher === undefined ? referrer : hostAndSiteOf(cached.publisher);
  // A copy of this page was opened from search results. A copy of another page links to this page.
  if (cached !== undefined && (host === referrer.host || site === page?.site)) {
    return counted(SourceRule.AMP_CACHE, { source: cached.engine, medium: "organic" });
  }
  const isIgnored = isReturnPage(host) || suffixesOf(host).some((suffix) => ignoredReferrers.includes(suffix));
  if (isIgnored) return notCounted(SourceRule.IGNORED_REFERRER);
  const known = findKnownSite(host);
  if (known !== undefined) return counted(known.rule, known);
  if (host !== site && WEB_MAIL.test(host)) return counted(SourceRule.EMAIL, { source: site, medium: "email" });
  return counted(SourceRule.REFERRAL, { source: isPortal(site) ? host : site, medium: "referral" });
}

/** The hosts of AMP caches, with the search engines that show their pages. */
const AMP_CACHES = [
  { cache: "cdn.ampproject.org", engine: "google" },
  { cache: "bing-amp.com", engine: "bing" },
  { cache: "turbopages.org", engine: "yandex" },
];

/** Returns the search engine of an AMP cache, and the host of the cached page if the cache's host contains it. Undefined for other hosts. */
function findCachedPage(host: string): { readonly engine: string; readonly publisher: string | undefined } | undefined {
  const found = AMP_CACHES.find(({ cache }) => suffixesOf(host).includes(cache));
  if (found === undefined) return undefined;
  return { engine: found.engine, publisher: findPublisher(host, found.cache) };
}

function counted(rule: SourceRule, { source, medium }: SourceMedium): SourceDecision {
  return { source: { source, medium }, rule, isCounted: true };
}

/** The visitor returned to the site, so this is not a new visit. */
function notCounted(rule: SourceRule): SourceDecision {
  return { source: DIRECT, rule, isCounted: false };
}
