import { create } from "@bufbuild/protobuf";
import type { FieldCheck } from "./field-check.js";
import { type VisitEvidence as VisitEvidenceMessage, VisitEvidenceSchema } from "./gen/calltracking/v1/dni_pb.js";
import { registrableDomain } from "./registrable-domain.js";
import { cleanSourceName } from "./source-name.js";
import { lengthProblem } from "./text.js";

const MAX_VALUES = 50;
const MAX_TEXT_LENGTH = 4096;
const MAX_CLICK_ID_LENGTH = 100;
const MAX_HOST_LENGTH = 255;

/** How many times a tag can be percent-encoded, in addition to the encoding of the URL. */
const MAX_ESCAPES = 2;

const APP_SCHEME = "android-app:";

/** The schemes of web pages and Android apps. */
const SCHEMES = new Set(["http:", "https:", APP_SCHEME]);

/** The host and the site of a URL, in lower case. */
export interface HostAndSite {
  /** The host without `www.`, or the id of an app. */
  readonly host: string;
  /** The registrable domain of the host, which all hosts of a site share; the id of an app. */
  readonly site: string;
}

/** The evidence that a page has about the source of a visit. */
export interface VisitEvidence {
  /** Empty if the URL has no such parameter, like `utmMedium` and `ref`. */
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly ref: string;
  /** Names of URL parameters, in lower case. */
  readonly clickIds: ReadonlySet<string>;
  /** Undefined if there is none, or none that counts. */
  readonly referrer: HostAndSite | undefined;
  /** The page on which the visit began; undefined if unknown. */
  readonly page: HostAndSite | undefined;
  /** Hosts without `www.`, in lower case. */
  readonly ignoredReferrers: readonly string[];
  /** Undefined to use the User-Agent header of the request. */
  readonly userAgent: string | undefined;
}

/**
 * Reads the evidence about a visit. Reports values that are too long. Other invalid values count as unset, so that no visit is lost because
 * of odd URL parameters or referrers.
 */
export function readEvidence(
  check: FieldCheck,
  evidence: VisitEvidenceMessage = create(VisitEvidenceSchema),
): VisitEvidence {
  const { utmSource, utmMedium, ref, clickIds, referrer, page, ignoredReferrers, userAgent } = evidence;
  const texts = { utm_source: utmSource, utm_medium: utmMedium, ref, referrer, page, user_agent: userAgent ?? "" };
  for (const [field, text] of Object.entries(texts)) {
    check.report(`evidence.${field}`, lengthProblem(text, MAX_TEXT_LENGTH));
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
  for (const [index, value] of values.entries()) check.report(`${field}[${index}]`, lengthProblem(value, maxLength));
}

/** Decodes a tag and removes invalid characters. E-mail services and redirects encode tags that are already percent-encoded. */
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

/** Returns the host and site of a URL; undefined if it has no valid host. A page translated by Google counts as the original page. */
function findHostAndSite(address: string): HostAndSite | undefined {
  const url = URL.parse(address);
  if (url === null || !SCHEMES.has(url.protocol)) return undefined;
  const host = url.hostname.toLowerCase().replace(/^www\.|\.$/g, "");
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return undefined;
  if (url.protocol === APP_SCHEME) return { host, site: host };
  return hostAndSiteOf(findPublisher(host, "translate.goog") ?? host);
}

/** @param host in lower case, without `www.`. */
export function hostAndSiteOf(host: string): HostAndSite {
  return { host, site: registrableDomain(host) };
}

/**
 * Returns the host of the original page if `host` is a subdomain of a cache or translator, which replaces the dots with dashes. Undefined for
 * other hosts, and for a long original host, because then the subdomain is a hash
 * (https://developers.google.com/amp/cache/overview#amp-cache-url-format).
 */
export function findPublisher(host: string, cache: string): string | undefined {
  if (!host.endsWith(`.${cache}`)) return undefined;
  const label = host.slice(0, -cache.length - 1);
  const publisher = label.replace(/--?/g, (dashes) => (dashes === "-" ? "." : "-")).replace(/^www\./, "");
  return publisher.includes(".") ? publisher : undefined;
}

/** Returns the host of an entry such as `pay.example`, `*.pay.example` or `https://pay.example/`. */
function findListedHost(entry: string): string | undefined {
  return findHostAndSite(entry.includes("://") ? entry : `https://${entry.trim().replace(/^\*?\./, "")}`)?.host;
}
