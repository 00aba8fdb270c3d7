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

/** How often a tag may be escaped beyond the address's own escape. */
const MAX_ESCAPES = 2;

const APP_SCHEME = "android-app:";

/** Schemes of pages and of Android apps. */
const SCHEMES = new Set(["http:", "https:", APP_SCHEME]);

/** Where an address leads. Both are in lower case. */
export interface Place {
  /** The host without `www.`, or the id of an app. */
  readonly host: string;
  /** The registrable domain of the host, so that all hosts of a site are one; the id of an app. */
  readonly site: string;
}

/** The facts that a page saw of a visit. The names of click ids are in lower case. */
export interface VisitEvidence {
  /** Empty if the address has no such parameter, as are `utmMedium` and `ref`. */
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly ref: string;
  readonly clickIds: ReadonlySet<string>;
  /** Undefined if there is none. */
  readonly referrer: Place | undefined;
  /** The page that the visit began on. */
  readonly page: Place | undefined;
  /** Hosts without `www.`, in lower case. */
  readonly ignoredReferrers: readonly string[];
  /** Undefined if it is that of the request. */
  readonly userAgent: string | undefined;
}

/**
 * Reads the evidence of a visit. Reports values that are too long; others that make no sense count as absent, because
 * links with odd parameters and browsers with odd referrers must not lose a visit.
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
    referrer: findPlace(referrer),
    page: findPlace(page),
    ignoredReferrers: ignoredReferrers.map(findListedHost).filter((host) => host !== undefined),
    userAgent,
  };
}

function checkList(check: FieldCheck, field: string, values: readonly string[], maxLength: number): void {
  if (values.length > MAX_VALUES) check.report(field, `must contain at most ${MAX_VALUES} values`);
  for (const [index, value] of values.entries()) check.report(`${field}[${index}]`, lengthProblem(value, maxLength));
}

/** Returns the name that a tag stands for. Mailers and redirects escape tags again that are escaped already. */
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

/** Returns where an address leads; undefined if it has no host. A page that Google translated counts as the page itself. */
function findPlace(address: string): Place | undefined {
  const url = URL.parse(address);
  if (url === null || !SCHEMES.has(url.protocol)) return undefined;
  const host = url.hostname.toLowerCase().replace(/^www\.|\.$/g, "");
  if (!/^[\w.:[\]-]{1,255}$/.test(host)) return undefined;
  if (url.protocol === APP_SCHEME) return { host, site: host };
  return placeOf(findPublisher(host, "translate.goog") ?? host);
}

/** Returns the host with its site. The host must be in lower case, without `www.`. */
export function placeOf(host: string): Place {
  return { host, site: registrableDomain(host) };
}

/**
 * Returns the host of a page whose copy is on a subdomain of a cache or translator, with dashes for dots. Undefined on other
 * hosts, and if the host is too long, because then the subdomain is a hash
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
  return findPlace(entry.includes("://") ? entry : `https://${entry.trim().replace(/^\*?\./, "")}`)?.host;
}
