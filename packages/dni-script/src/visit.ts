import type { Meanings } from "./meanings.js";
import type { Answer } from "./number-display.js";

/** The evidence of where a visitor came from, in the format of the server, which decides by it. */
export interface VisitEvidence {
  /** Undefined if the address has no such parameter, as is `utm_medium`. */
  readonly utm_source: string | undefined;
  readonly utm_medium: string | undefined;
  /** Names of the address's click ids. Their values stay in the page, because they identify people. */
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
  /** The event id for reporting the visit; empty once reported. */
  event: string;
  /** The numbers of the last response; undefined before the first one. */
  answer?: Answer;
  /** The numbers that the tab has shown, also in visits before this one. */
  meanings: Meanings;
}

/** Parameters that ad platforms and social networks add to links. */
const CLICK_ID =
  /^((nd|szn|ys|fb|[dgqy])clid|msclkid|t[tw]clid|[gw]braid|gad_(source|campaignid)|srsltid|li_fat_id|sccid|rdt_cid|epik|igsh(id)?|tblci|dicbo|bd_vid|qhclickid|gdt_vid|ldtag_cl|rb_clickid|cto_pld)$/i;

/**
 * Starts a visit at an address.
 *
 * @param ignored Hosts of referrers, separated by spaces or commas.
 */
export function startVisit(address: string, referrer: string, ignored?: string | null): Visit {
  const { origin, searchParams } = new URL(address);
  const [utm_source, utm_medium] = ["utm_source", "utm_medium"].map((name) => searchParams.get(name)?.trim());
  const clicks = [...searchParams].filter(([name, value]) => CLICK_ID.test(name) && value.trim());
  const campaign = clicks.map(String);
  if (utm_source) campaign.push(`${utm_source} ${utm_medium}`.toLowerCase());
  const evidence = {
    utm_source,
    utm_medium,
    click_ids: clicks.map(([name]) => name),
    referrer: referrer.split("/", 3).join("/"),
    page: origin,
    ignored_referrers: ignored?.split(/[\s,]+/),
  };
  // Blob URLs end with a random UUID (File API, 8.3). `crypto.randomUUID` is unavailable on pages without TLS.
  return { evidence, campaign, event: URL.createObjectURL(new Blob()).slice(-36), meanings: {} };
}

/**
 * Returns the visit that a page belongs to: the previous one, unless the page's address adds another campaign, or there is
 * none, or an older script stored it, without evidence. A new visit keeps the meanings of the previous one.
 */
export function continueVisit(previous: Partial<Visit>, page: Visit): Visit {
  const continues = previous.evidence && page.campaign.every((part) => previous.campaign?.includes(part));
  return { ...(continues ? (previous as Visit) : page), meanings: { ...previous.meanings } };
}
