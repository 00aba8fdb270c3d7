import { create } from "@bufbuild/protobuf";
import type { FieldCheck } from "./field-check.js";
import { type VisitEvidence as VisitEvidenceMessage, VisitEvidenceSchema } from "./gen/calltracking/v1/dni_pb.js";
import { cleanSourceName } from "./source-name.js";
import { lengthProblem } from "./text.js";

const MAX_VALUES = 50;
const MAX_TEXT_LENGTH = 4096;
const MAX_CLICK_ID_LENGTH = 100;
const MAX_HOST_LENGTH = 255;

/** Schemes of pages and of Android apps. */
const SCHEMES = new Set(["http:", "https:", "android-app:"]);

/** The facts that a page saw of a visit. Hosts are without `www.`, and in lower case, as are the names of click ids. */
export interface VisitEvidence {
  /** Empty if the address has no such parameter, as is `utmMedium`. */
  readonly utmSource: string;
  readonly utmMedium: string;
  readonly clickIds: ReadonlySet<string>;
  /** The referrer's host or app id. Undefined if there is none. */
  readonly referrer: string | undefined;
  /** The host of the page that the visit began on. */
  readonly page: string | undefined;
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
  const { utmSource, utmMedium, clickIds, referrer, page, ignoredReferrers, userAgent } = evidence;
  const texts = { utm_source: utmSource, utm_medium: utmMedium, referrer, page, user_agent: userAgent ?? "" };
  for (const [field, text] of Object.entries(texts)) {
    check.report(`evidence.${field}`, lengthProblem(text, MAX_TEXT_LENGTH));
  }
  checkList(check, "evidence.click_ids", clickIds, MAX_CLICK_ID_LENGTH);
  checkList(check, "evidence.ignored_referrers", ignoredReferrers, MAX_HOST_LENGTH);
  return {
    utmSource: cleanSourceName(utmSource),
    utmMedium: cleanSourceName(utmMedium),
    clickIds: new Set(clickIds.map((name) => name.toLowerCase())),
    referrer: findHost(referrer),
    page: findHost(page),
    ignoredReferrers: ignoredReferrers.map(findListedHost).filter((host) => host !== undefined),
    userAgent,
  };
}

function checkList(check: FieldCheck, field: string, values: readonly string[], maxLength: number): void {
  if (values.length > MAX_VALUES) check.report(field, `must contain at most ${MAX_VALUES} values`);
  for (const [index, value] of values.entries()) check.report(`${field}[${index}]`, lengthProblem(value, maxLength));
}

/**
 * Returns the host or app id of an address without `www.`; undefined if it has none. A page that Google translated counts
 * as the page itself.
 */
function findHost(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !SCHEMES.has(url.protocol)) return undefined;
  const host = url.hostname.toLowerCase().replace(/^www\.|\.$/g, "");
  return /^[\w.:[\]-]{1,255}$/.test(host) ? (findPublisher(host, "translate.goog") ?? host) : undefined;
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
  return findHost(entry.includes("://") ? entry : `https://${entry.trim().replace(/^\*?\./, "")}`);
}
