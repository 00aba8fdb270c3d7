/** Where a visit came from. Both are lower case, so that "Google" and "google" are one source. */
export interface TrafficSource {
  readonly source: string;
  readonly medium: string;
}

/** What the address of a page says about the advertisement or the tagged link that led to it. */
export interface Campaign extends TrafficSource {
  /** Tells it from another one: the tags and the id of the click. */
  readonly campaign: string;
}

/** Who typed the address, took a bookmark, or came from where browsers tell nothing. */
export const DIRECT: TrafficSource = { source: "(direct)", medium: "(none)" };

/** The parameters that platforms add to the links of advertisements, and who they are. */
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
 * The hosts of search engines (group 1) and of social sites (group 2), which have one for each country: com, org, de, co.uk,
 * com.tr. The whole host must match: google.com.example is none of them, and mail.google.com is no search.
 */
const KNOWN_HOSTS =
  /^(?:(?:\w\w?\.)?(?:search\.)?(google|bing|duckduckgo|yahoo|yandex|baidu|ecosia|qwant|brave|naver|seznam)|(?:.+\.)?(facebook|instagram|threads|twitter|linkedin|pinterest|tiktok|reddit|youtube|vk))\.(?:com?(?:\.\w\w)?|org|net|\w\w)$/;

/**
 * The campaign in an address; undefined if there is none. Tags win over click ids, as a person wrote them; a tag
 * without a medium has that of the click id, or "(not set)". Tags without a source say nothing.
 */
export function findCampaign(address: string): Campaign | undefined {
  const parameters = new URL(address).searchParams;
  // What the server takes for a name: up to 255 code points, none of them control, format or unassigned.
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
 * Where a visitor without a campaign came from, by the addresses of the page before and of this one; undefined if both are of
 * one host, as that is no new visit.
 */
export function findReferrer(referrer: string, address: string): TrafficSource | undefined {
  const host = findHost(referrer);
  if (!host) return DIRECT;
  if (host === findHost(address)) return undefined;
  const [, engine, site] = KNOWN_HOSTS.exec(host.replace(/^(t\.co|x\.com)$/, "twitter.com")) ?? [];
  if (engine) return { source: engine, medium: "organic" };
  return site ? { source: site, medium: "social" } : { source: host, medium: "referral" };
}

/** The host of an address, as a browser writes it, without "www." */
function findHost(address: string): string | undefined {
  return /:\/\/(?:www\.)?([^/:]+)/.exec(address)?.[1];
}
