import type { NumbersResponse } from "./number-display.js";
import type { OriginalNumberByShownNumber } from "./original-number-by-shown-number.js";

/** The evidence of where a visitor came from, in the format of the API. The server decides the source from this evidence. */
export interface VisitEvidence {
  /**
   * The value of the parameter `utm_source`, or of an equivalent parameter, in the page's address. Undefined if the address has none. The fields
   * `utm_medium` and `ref` are read in the same way.
   */
  readonly utm_source: string | undefined;
  readonly utm_medium: string | undefined;
  readonly ref: string | undefined;
  /** The names of the parameters in the page's address. The values are omitted, because they can identify people. */
  readonly click_ids: readonly string[];
  /** Scheme and host of the referrer, or the id of an Android app. Empty if there is no referrer. */
  readonly referrer: string;
  /** Scheme and host of the page. */
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
  /** The UTM source and medium in the address at which the visit began, and the click ids with their values. Empty if there are none. */
  readonly campaign: readonly string[];
  /** The source that the server decided. Undefined before the server's first response, and for crawlers. */
  origin?: TrafficSource;
  /** The registrable domain of the page. The visit continues on other hosts of this domain. Undefined before the server's first response. */
  site?: string;
  /** The event id for reporting the visit; empty once this or another host of the site has reported the visit. */
  event: string;
  /** The server's last response; undefined before the first response. */
  answer?: NumbersResponse;
  /** The original number of each number that the tab has shown, including those shown in earlier visits. */
  meanings: OriginalNumberByShownNumber;
}

/** Matches the names of click ids. A click id with a new value begins another visit. */
const CLICK_ID =
  /(cl(ick|k)?id|braid)$|^(gad_|srsltid|li_fat|sccid|rdt_cid|epik|igsh|tblci|dicbo|bd_vid|gdt_vid|ldtag|cto_pld)/i;

/** Matches the value of the parameter `calltrack` in a link from another host of the site, with groups for source and medium. */
const CARRIED = /^(.+)~([^~]+)$/;

/** Maximum number of names in `click_ids` that the server accepts. */
const MAX_NAMES = 50;

/**
 * Creates a visit that begins at `address`.
 *
 * @param ignored the hosts whose referrers the server ignores, separated by spaces or commas.
 */
export function startVisit(address: string, referrer: string, ignored?: string | null): Visit {
  const { origin, search, hash } = new URL(address);
  // UTM parameters may be in the fragment. Some tools add parameters after a second "?", or separate them with "&amp;" as in HTML.
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
      // Drops names with unusual characters, because they may be other data, such as the e-mail address in `?ann@a.example=1`.
      .filter((name) => /^[\w-]{2,40}$/.test(name))
      .slice(0, MAX_NAMES),
    referrer: referrer.split("/", 3).join("/"),
    page: origin,
    ignored_referrers: ignored?.split(/[\s,]+/),
  };
  // Takes the random UUID at the end of a blob URL (File API, 8.3), because `crypto.randomUUID` is unavailable on pages without TLS.
  const event = source ? "" : URL.createObjectURL(new Blob()).slice(-36);
  return { evidence, campaign, event, meanings: {} };
}

/**
 * Returns the visit that a page belongs to. This is the new visit `page` if the page's address names another campaign, or if the tab has stored
 * no previous visit with evidence. Older scripts stored visits without evidence. A new visit keeps the `meanings` of the previous visit.
 */
export function continueVisit(previous: Partial<Visit>, page: Visit): Visit {
  const { origin } = previous;
  const known = [...(previous.campaign ?? []), `${origin?.source} ${origin?.medium}`];
  const continues = previous.evidence && page.campaign.every((part) => known.includes(part));
  return { ...(continues ? (previous as Visit) : page), meanings: { ...previous.meanings } };
}
