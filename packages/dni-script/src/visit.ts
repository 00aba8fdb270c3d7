import type { Meanings } from "./meanings.js";
import type { Answer } from "./number-display.js";

/** The evidence of where a visitor came from, in the format of the server, which decides by it. */
export interface VisitEvidence {
  /** Undefined if the address has no such parameter, as are `utm_medium` and `ref`. */
  readonly utm_source: string | undefined;
  readonly utm_medium: string | undefined;
  readonly ref: string | undefined;
  /** Names of the address's parameters. Their values stay in the page, because they identify people. */
  readonly click_ids: readonly string[];
  /** Scheme and host, or the id of an app. Empty if there is no referrer. */
  readonly referrer: string;
  /** Scheme and host. */
  readonly page: string;
  /** Undefined if the page names none. */
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
  /** The tags of the visit's address, and its click ids with their values. Empty if it has none. */
  readonly campaign: readonly string[];
  /** The source that the server decided. Undefined before its first response, and for crawlers. */
  origin?: TrafficSource;
  /** The site of the page, whose other hosts belong to the visit. Undefined before the first response. */
  site?: string;
  /** The event id for reporting the visit; empty once reported, also by another host of the site. */
  event: string;
  /** The numbers of the last response; undefined before the first one. */
  answer?: Answer;
  /** The numbers that the tab has shown, also in visits before this one. */
  meanings: Meanings;
}

/** Parameters that begin another visit if they have another value. */
const CLICK_ID =
  /(cl(ick|k)?id|braid)$|^(gad_|srsltid|li_fat|sccid|rdt_cid|epik|igsh|tblci|dicbo|bd_vid|gdt_vid|ldtag|cto_pld)/i;

/** The source and the medium in the parameter `calltrack` of a link from another host of the site. */
const CARRIED = /^(.+)~([^~]+)$/;

/** Most names that the server accepts. */
const MAX_NAMES = 50;

/**
 * Starts a visit at an address.
 *
 * @param ignored Hosts of referrers, separated by spaces or commas.
 */
export function startVisit(address: string, referrer: string, ignored?: string | null): Visit {
  const { origin, search, hash } = new URL(address);
  // Tags may be in the fragment. Tools that add them to an address write "?" twice, or "&" as in HTML.
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
      // Others may be no names, such as the e-mail address in `?ann@a.example=1`.
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
 * Returns the visit that a page belongs to: the previous one, unless the page's address adds another campaign, or there is
 * none, or an older script stored it, without evidence. A new visit keeps the meanings of the previous one.
 */
export function continueVisit(previous: Partial<Visit>, page: Visit): Visit {
  const { origin } = previous;
  const known = [...(previous.campaign ?? []), `${origin?.source} ${origin?.medium}`];
  const continues = previous.evidence && page.campaign.every((part) => known.includes(part));
  return { ...(continues ? (previous as Visit) : page), meanings: { ...previous.meanings } };
}
