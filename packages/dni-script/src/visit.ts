import type { NumbersResponse } from "./number-display.js";
import type { OriginalsByNumber } from "./originals-by-number.js";

/** The evidence of where a visitor came from, in the format of the API. The server decides the source from it. */
export interface VisitEvidence {
  /** Undefined if the address has no such parameter; the same applies to `utm_medium` and `ref`. */
  readonly utm_source: string | undefined;
  readonly utm_medium: string | undefined;
  readonly ref: string | undefined;
  /** Names of the address's parameters. Their values never leave the browser, because they identify people. */
  readonly click_ids: readonly string[];
  /** Scheme and host, or the id of an app. Empty if there is no referrer. */
  readonly referrer: string;
  /** Scheme and host. */
  readonly page: string;
  /** Undefined without the setting `ignore-referrers`. */
  readonly ignored_referrers: readonly string[] | undefined;
}

/** Where a visit came from, such as google / cpc. */
export interface TrafficSource {
  readonly source: string;
  readonly medium: string;
}

/** The state of a visit, kept until the tab is closed. */
export interface Visit {
  readonly evidence: VisitEvidence;
  /** The UTM source and medium of the visit's address, and its click ids with their values. Empty if it has none. */
  readonly campaign: readonly string[];
  /** The source that the server decided. Undefined before its first response, and for crawlers. */
  origin?: TrafficSource;
  /** The registrable domain of the page. The visit continues on its other hosts. Undefined before the first response. */
  site?: string;
  /** The event id for reporting the visit; empty once this or another host of the site reported it. */
  event: string;
  /** The last response; undefined before the first one. */
  answer?: NumbersResponse;
  /** The originals of the numbers that the tab has shown, including in earlier visits. */
  meanings: OriginalsByNumber;
}

/** Names of click ids. A new value begins another visit. */
const CLICK_ID =
  /(cl(ick|k)?id|braid)$|^(gad_|srsltid|li_fat|sccid|rdt_cid|epik|igsh|tblci|dicbo|bd_vid|gdt_vid|ldtag|cto_pld)/i;

/** The source and the medium in the parameter `calltrack` of a link from another host of the site. */
const CARRIED = /^(.+)~([^~]+)$/;

/** Maximum number of `click_ids` that the server accepts. */
const MAX_NAMES = 50;

/**
 * Starts a visit at an address.
 *
 * @param ignored hosts of referrers to ignore, separated by spaces or commas.
 */
export function startVisit(address: string, referrer: string, ignored?: string | null): Visit {
  const { origin, search, hash } = new URL(address);
  // UTM parameters may be in the fragment. Some tools add them with a second "?", or with "&amp;" as in HTML.
  const parameters = [...new URLSearchParams((search + hash).replace(/[?#&](amp;)*/g, "&"))]
    .map(([name, value]) => [name, value.trim()] as const)
    .filter(([, value]) => value);
  const find = (pattern: RegExp) => parameters.find(([name]) => pattern.test(name))?.[1];
  const [, source, medium] = CARRIED.exec(find(/^calltrack$/) ?? "") ?? [];
  const utm_source = source ?? find(/^(utm|mtm|pk)_source$/i);
  const utm_medium = medium ?? find(/^((utm|mtm|pk)_)?medium$/i);
  const campaign = parameters.filter(([name]) => CLICK_ID.test(name)).map(String);
  if (utm_source) campaign.push(`${utm_source} ${utm_medium}`.toLowerCase());
  const evidence = {
    utm_source,
    utm_medium,
    ref: find(/^(ref|source)$/i),
    click_ids: parameters
      .map(([name]) => name)
      // Other texts may not be names, such as the e-mail address in `?ann@a.example=1`.
      .filter((name) => /^[\w-]{2,40}$/.test(name))
      .slice(0, MAX_NAMES),
    referrer: referrer.split("/", 3).join("/"),
    page: origin,
    ignored_referrers: ignored?.split(/[\s,]+/),
  };
  // Blob URLs end with a random UUID (File API, 8.3). `crypto.randomUUID` is unavailable on pages without TLS.
  const event = source ? "" : URL.createObjectURL(new Blob()).slice(-36);
  return { evidence, campaign, event, meanings: {} };
}

/**
 * Returns the visit that a page belongs to. This is the page's own, new visit if its address adds another campaign, or if there is no
 * previous visit with evidence, which older scripts did not store. A new visit keeps the `meanings` of the previous one.
 */
export function continueVisit(previous: Partial<Visit>, page: Visit): Visit {
  const { origin } = previous;
  const known = [...(previous.campaign ?? []), `${origin?.source} ${origin?.medium}`];
  const continues = previous.evidence && page.campaign.every((part) => known.includes(part));
  return { ...(continues ? (previous as Visit) : page), meanings: { ...previous.meanings } };
}
