import { CLICK_IDS, type ClickId } from "./click-ids.js";
import { isCrawler } from "./crawlers.js";
import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import { findKnownSite, isPortal, isReturnPage, suffixesOf } from "./known-sites.js";
import type { SourceMedium } from "./source-medium.js";
import { NO_MEDIUM } from "./source-name.js";
import { findPublisher, placeOf, type VisitEvidence } from "./visit-evidence.js";

/** The source of a visit, and why. */
export interface SourceDecision {
  /** Undefined for a crawler. */
  readonly source: SourceMedium | undefined;
  readonly rule: SourceRule;
  /** Whether this is a new visit of a person. */
  readonly isCounted: boolean;
}

const DIRECT: SourceMedium = { source: "(direct)", medium: "(none)" };

const NETWORK_RULES = new Set([SourceRule.SEARCH_ENGINE, SourceRule.SOCIAL, SourceRule.AI_ASSISTANT]);

/** Names that hosts of web mailers begin with, at many providers. Their site is the source. */
const WEB_MAIL = /^(?:(?:web)?mail|webmailer|roundcube|horde|owa|zimbra|poczta|email)-?\d*\./;

/**
 * Decides the source of a visit. The first of these that the evidence has decides: the user agent of a crawler,
 * `utm_source`, a click id, `ref` unless a known site is the referrer, the referrer.
 *
 * @param userAgent that of the request, if the evidence has none.
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

/** Whether a name is that of the referrer's source, perhaps without its domain: `producthunt` for producthunt.com. */
function isNameOf({ source }: SourceDecision, name: string): boolean {
  return `${source?.source}.`.startsWith(`${name}.`);
}

/** Decides by the name of a source in the address. Without a medium there, other evidence of the same visit tells it. */
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
 * Assistants write their host or name into `utm_source`, and have the name of their referrer by it. The punctuation that
 * follows a link in a text can become a part of it.
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
  const { host, site } = cached?.publisher === undefined ? referrer : placeOf(cached.publisher);
  // The page's own copy was opened from a search. A copy of another page has a link to this one.
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

/** AMP caches, with the search engine that shows their pages. */
const AMP_CACHES = [
  { cache: "cdn.ampproject.org", engine: "google" },
  { cache: "bing-amp.com", engine: "bing" },
  { cache: "turbopages.org", engine: "yandex" },
];

/** Returns the engine of an AMP cache, and the host of the cached page, if the cache's host tells it. */
function findCachedPage(host: string): { readonly engine: string; readonly publisher: string | undefined } | undefined {
  const found = AMP_CACHES.find(({ cache }) => suffixesOf(host).includes(cache));
  if (found === undefined) return undefined;
  return { engine: found.engine, publisher: findPublisher(host, found.cache) };
}

function counted(rule: SourceRule, { source, medium }: SourceMedium): SourceDecision {
  return { source: { source, medium }, rule, isCounted: true };
}

/** The visitor came back to the site, so this is no new visit. */
function notCounted(rule: SourceRule): SourceDecision {
  return { source: DIRECT, rule, isCounted: false };
}
