import { create } from "@bufbuild/protobuf";
import type { FieldCheck } from "./field-check.js";
import { type VisitEvidence as VisitEvidenceMessage, VisitEvidenceSchema } from "./gen/calltracking/v1/dni_pb.js";
import { findRegistrableDomain } from "./registrable-domain.js";
import { cleanSourceName } from "./source-name.js";
import { findTextLengthProblem } from "./text.js";

const MAX_VALUES = 50;
const MAX_TEXT_LENGTH = 4096;
const MAX_CLICK_ID_LENGTH = 100;
const MAX_HOST_LENGTH = 255;

/** How many times a tag, such as `utm_source`, is percent-decoded after the URL itself was decoded. */
const MAX_ESCAPES = 2;

const APP_SCHEME = "android-app:";

/** The URL schemes of web pages and Android apps. */
const SCHEMES = new Set(["http:", "https:", APP_SCHEME]);

/** The host and the site of a URL, in lower case. */
export interface HostAndSite {
  /** The host without `www.`, or the id of an Android app. */
  readonly host: string;
  /** The registrable domain of the host, which all hosts of a site share, or the id of an Android app. */
  readonly site: string;
}

/** The facts that a page knows about the source of a visit. */
export interface VisitEvidence {
  /** Empty, like `utmMedium` and `ref`, if the URL has no such parameter. */
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly ref: string;
  /** The names of the URL's other parameters, in lower case. */
  readonly clickIds: ReadonlySet<string>;
  /** Undefined if there is no referrer, or if it is not the URL of a web page or Android app. */
  readonly referrer: HostAndSite | undefined;
  /** The page on which the visit began; undefined if unknown. */
  readonly page: HostAndSite | undefined;
  /** Hosts without `www.`, in lower case. */
  readonly ignoredReferrers: readonly string[];
  /** The visitor's user agent; undefined if the User-Agent header of the request contains it. */
  readonly userAgent: string | undefined;
}

/**
 * Reads the evidence about a visit. Reports violations for values that are too long. Other invalid values count as unset, so that no visit is
 * lost because of odd URL parameters or referrers.
 */
export function readVisitEvidence(
  check: FieldCheck,
  evidence: VisitEvidenceMessage = create(VisitEvidenceSchema),
): VisitEvidence {
  const { utmSource, utmMedium, ref, clickIds, referrer, page, ignoredReferrers, userAgent } = evidence;
  const texts = { utm_source: utmSource, utm_medium: utmMedium, ref, referrer, page, user_agent: userAgent ?? "" };
  for (const [field, text] of Object.entries(texts)) {
    check.report(`evidence.${field}`, findTextLengthProblem(text, MAX_TEXT_LENGTH));
  }
  checkList(check, "evidence.click_ids", clickIds, MAX_CLICK_ID_LENGTH);
  checkList(check, "evidence.ignored_referrers", ignoredReferrers, MAX_HOST_LENGTH);
  return {
    utmSource: readTag(utmSource),
    utmMedium: readTag(utmMedium),
    ref: readTag(ref),
    clickIds: new Set(clickIds.map((name) => name.toLowerCase())),
    referrer: findHostAndSite(referrer),
    page: findHostAndSite(page),
    ignoredReferrers: ignoredReferrers.map(findListedHost).filter((host) => host !== undefined),
    userAgent,
  };
}

function checkList(check: FieldCheck, field: string, values: readonly string[], maxLength: number): void {
  if (values.length > MAX_VALUES) check.report(field, `must contain at most ${MAX_VALUES} values`);
  for (const [index, value] of values.entries())
    check.report(`${field}[${index}]`, findTextLengthProblem(value, maxLength));
}

/** Decodes a tag, such as `utm_source`, and removes invalid characters. E-mail services and redirects percent-encode tags a second time. */
function readTag(value: string): string {
  let name = value;
  for (let time = 0; time < MAX_ESCAPES && /%[\da-f]{2}/i.test(name); time++) {
    try {
      name = decodeURIComponent(name);
    } catch {
      break;
    }
  }
  return cleanSourceName(name);
}

/** Returns the host and site of a URL; undefined if the URL has no valid host. A page that Google translated counts as the original page. */
function findHostAndSite(address: string): HostAndSite | undefined {
  const url = URL.parse(address);
  if (url === null || !SCHEMES.has(url.protocol)) return undefined;
  const host = url.hostname.toLowerCase().replace(/^www\.|\.$/g, "");
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return undefined;
  if (url.protocol === APP_SCHEME) return { host, site: host };
  return createHostAndSite(findOriginalHost(host, "translate.goog") ?? host);
}

/** @param host a host in lower case, without `www.`. */
export function createHostAndSite(host: string): HostAndSite {
  return { host, site: findRegistrableDomain(host) };
}

/**
 * Finds the host of the original page if `host` is a subdomain of a cache or translator. The subdomain contains the original host, with dashes in
 * place of the dots. Returns undefined for other hosts. Also returns undefined if the original host is long, because the subdomain is then a hash
 * (https://developers.google.com/amp/cache/overview#amp-cache-url-format).
 */
export function findOriginalHost(host: string, cache: string): string | undefined {
  if (!host.endsWith(`.${cache}`)) return undefined;
  const label = host.slice(0, -cache.length - 1);
  const publisher = label.replace(/--?/g, (dashes) => (dashes === "-" ? "." : "-")).replace(/^www\./, "");
  return publisher.includes(".") ? publisher : undefined;
}

/** Returns `pay.example` for an ignored referrer such as `pay.example`, `*.pay.example` or `https://pay.example/`. */
function findListedHost(entry: string): string | undefined {
  return findHostAndSite(entry.includes("://") ? entry : `https://${entry.trim().replace(/^\*?\./, "")}`)?.host;
}
