import { isbot } from "isbot";
import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import { findKnownSite, isPaymentProvider, suffixesOf } from "./known-sites.js";
import type { SourceMedium } from "./source-medium.js";
import { NO_MEDIUM } from "./source-name.js";
import { findPublisher, type VisitEvidence } from "./visit-evidence.js";

/** The source of a visit, and why. */
export interface SourceDecision {
  /** Undefined for a crawler. */
  readonly source: SourceMedium | undefined;
  readonly rule: SourceRule;
  /** Whether this is a new visit of a person. */
  readonly isCounted: boolean;
}

/** The source that a click id in an address stands for. */
interface ClickId extends SourceMedium {
  readonly name: string;
  /**
   * Which referrers contradict it. `site`: any other site, because several sites add the same parameter. `network`: a
   * search engine, social network or AI assistant with another name, because the parameter stays in links that people
   * pass on, and ads are also on other sites. Default: none.
   */
  readonly yieldsTo?: "site" | "network";
  /** The site that the visit must come from. Default: any. */
  readonly onlyFrom?: string;
}

/** The click ids in order of precedence, in lower case. */
export const CLICK_IDS: readonly ClickId[] = [
  { name: "gclid", source: "google", medium: "cpc" },
  { name: "gbraid", source: "google", medium: "cpc" },
  { name: "wbraid", source: "google", medium: "cpc" },
  { name: "msclkid", source: "bing", medium: "cpc" },
  { name: "yclid", source: "yahoo", medium: "cpc", onlyFrom: "yahoo.co.jp" },
  { name: "yclid", source: "yandex", medium: "cpc" },
  { name: "ttclid", source: "tiktok", medium: "cpc" },
  { name: "twclid", source: "twitter", medium: "cpc" },
  { name: "li_fat_id", source: "linkedin", medium: "cpc" },
  { name: "sccid", source: "snapchat", medium: "cpc" },
  { name: "rdt_cid", source: "reddit", medium: "cpc" },
  { name: "epik", source: "pinterest", medium: "cpc" },
  { name: "qclid", source: "quora", medium: "cpc" },
  { name: "tblci", source: "taboola", medium: "cpc" },
  { name: "dicbo", source: "outbrain", medium: "cpc" },
  { name: "ndclid", source: "nextdoor", medium: "cpc" },
  { name: "sznclid", source: "seznam", medium: "cpc" },
  { name: "bd_vid", source: "baidu", medium: "cpc" },
  { name: "qhclickid", source: "360search", medium: "cpc" },
  { name: "gdt_vid", source: "tencent", medium: "cpc" },
  { name: "ldtag_cl", source: "line", medium: "cpc" },
  { name: "rb_clickid", source: "vk", medium: "cpc" },
  { name: "cto_pld", source: "criteo", medium: "cpc" },
  { name: "dclid", source: "google", medium: "display" },
  { name: "fbclid", source: "facebook", medium: "social", yieldsTo: "site" },
  { name: "igsh", source: "instagram", medium: "social", yieldsTo: "site" },
  { name: "igshid", source: "instagram", medium: "social", yieldsTo: "site" },
  { name: "srsltid", source: "google", medium: "organic", yieldsTo: "network" },
  { name: "ysclid", source: "yandex", medium: "organic", yieldsTo: "network" },
  { name: "gad_source", source: "google", medium: "cpc", yieldsTo: "network" },
  { name: "gad_campaignid", source: "google", medium: "cpc", yieldsTo: "network" },
];

const DIRECT: SourceMedium = { source: "(direct)", medium: "(none)" };

const NETWORK_RULES = new Set([SourceRule.SEARCH_ENGINE, SourceRule.SOCIAL, SourceRule.AI_ASSISTANT]);

/**
 * Decides the source of a visit. The first of these that the evidence has decides: the user agent of a crawler,
 * `utm_source`, a click id, the referrer.
 *
 * @param userAgent that of the request, if the evidence has none.
 */
export function decideSource(evidence: VisitEvidence, userAgent: string | undefined): SourceDecision {
  if (isbot(evidence.userAgent ?? userAgent)) return { source: undefined, rule: SourceRule.CRAWLER, isCounted: false };
  const referrers = suffixesOf(evidence.referrer ?? "");
  const clicks = CLICK_IDS.filter(
    ({ name, onlyFrom }) => evidence.clickIds.has(name) && (onlyFrom === undefined || referrers.includes(onlyFrom)),
  );
  const { utmSource, utmMedium } = evidence;
  if (utmSource !== "") {
    const assistant = findAssistant(utmSource);
    const medium = utmMedium || assistant?.medium || clicks[0]?.medium || NO_MEDIUM;
    return counted(SourceRule.CAMPAIGN, { source: assistant?.source ?? utmSource, medium });
  }
  const byReferrer = decideByReferrer(evidence);
  const click = clicks.find((each) => !isContradicted(each, byReferrer));
  return click === undefined ? byReferrer : counted(SourceRule.CLICK_ID, click);
}

/**
 * Assistants write their host into `utm_source`, and have the name of their referrer by it. The punctuation that follows a
 * link in a text can become a part of it.
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
  if (referrer === page) return notCounted(SourceRule.SAME_SITE);
  const cached = findCachedPage(referrer);
  const host = cached?.publisher ?? referrer;
  // The page's own copy was opened from a search. A copy of another page has a link to this one.
  if (cached !== undefined && (host === referrer || host === page)) {
    return counted(SourceRule.AMP_CACHE, { source: cached.engine, medium: "organic" });
  }
  const isIgnored = isPaymentProvider(host) || suffixesOf(host).some((suffix) => ignoredReferrers.includes(suffix));
  if (isIgnored) return notCounted(SourceRule.IGNORED_REFERRER);
  const site = findKnownSite(host);
  return site === undefined
    ? counted(SourceRule.REFERRAL, { source: host, medium: "referral" })
    : counted(site.rule, site);
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
