/** The source of a visit. Both fields are in lower case, so that "Google" and "google" are the same. */
export interface TrafficSource {
  readonly source: string;
  readonly medium: string;
}

/** The campaign in the URL of a landing page. */
export interface Campaign extends TrafficSource {
  /** Distinguishes campaigns: the tags and the click id. */
  readonly campaign: string;
}

/** Visitors who typed the URL, used a bookmark, or whose browser sends no referrer. */
export const DIRECT: TrafficSource = { source: "(direct)", medium: "(none)" };

/** The click id parameters that ad platforms add to links, with the platform's source name. */
const CLICK_IDS: Record<string, string> = {
  gclid: "google",
  gbraid: "google",
  wbraid: "google",
  msclkid: "bing",
  yclid: "yandex",
  ttclid: "tiktok",
  twclid: "twitter",
  li_fat_id: "linkedin",
  fbclid: "facebook",
};

/**
 * Hosts of search engines (group 1) and social networks (group 2) under any country domain. Matches whole hosts: not
 * google.com.example, and not mail.google.com, which is no search.
 */
const KNOWN_HOSTS =
  /^(?:(?:\w\w?\.)?(?:search\.)?(google|bing|duckduckgo|yahoo|yandex|baidu|ecosia|qwant|brave|naver|seznam)|(?:.+\.)?(facebook|instagram|threads|twitter|linkedin|pinterest|tiktok|reddit|youtube|vk))\.(?:com?(?:\.\w\w)?|org|net|\w\w)$/;

/**
 * Returns the campaign in a URL; undefined if there is none.
 *
 * Tags take precedence over click ids. Tags without a medium use the medium of the click id, or "(not set)". Tags
 * without a source are ignored.
 */
export function findCampaign(address: string): Campaign | undefined {
  const parameters = new URL(address).searchParams;
  // Removes what the server rejects in a name: text beyond 255 code points, and control, format or unassigned
  // characters.
  const read = (name: string) => (parameters.get(name) ?? "").toLowerCase().slice(0, 255).replace(/\p{C}/gu, "").trim();
  const clickId = Object.keys(CLICK_IDS).find(read) ?? "";
  const tagged = read("utm_source");
  const source = tagged || CLICK_IDS[clickId];
  if (!source) return undefined;
  const paid = clickId && (clickId === "fbclid" ? "social" : "cpc");
  const medium = (tagged && read("utm_medium")) || paid || "(not set)";
  return { source, medium, campaign: source + medium + read(clickId) };
}

/**
 * Returns the source of a visit without a campaign, from the URLs of the referrer and of this page. Returns undefined
 * if both have the same host, because that is no new visit.
 */
export function findReferrerSource(referrer: string, address: string): TrafficSource | undefined {
  const host = findHost(referrer);
  if (!host) return DIRECT;
  if (host === findHost(address)) return undefined;
  const [, engine, site] = KNOWN_HOSTS.exec(host.replace(/^(t\.co|x\.com)$/, "twitter.com")) ?? [];
  if (engine) return { source: engine, medium: "organic" };
  return site ? { source: site, medium: "social" } : { source: host, medium: "referral" };
}

/** Returns the host of a URL without "www." */
function findHost(address: string): string | undefined {
  return /:\/\/(?:www\.)?([^/:]+)/.exec(address)?.[1];
}
