import { SourceRule } from "./gen/calltracking/v1/dni_pb.js";
import { findKnownSite, findKnownSiteBySource } from "./known-sites.js";
import type { SourceMedium } from "./source-medium.js";

/** The kinds of web sites that have a separate channel, such as Organic Search. */
type SiteKind = "search" | "social" | "video" | "shopping" | "assistant";

/**
 * Source names, separated by spaces and keyed by the kind of site. The lists of known sites omit these names or assign them to another kind. Some are
 * names that people use as `utm_source`.
 */
const SOURCES: Readonly<Partial<Record<SiteKind, string>>> = {
  search: "adwords google-ads googleads google_ads google.ads bingads bing-ads microsoft-ads microsoftads",
  social: "fb ig insta meta meta-ads facebook-ads facebookads fb_ads linkedin-ads twitter-ads tiktok-ads x",
  video:
    "youtube youtube.com youtu.be yt vimeo vimeo.com twitch twitch.tv dailymotion dailymotion.com netflix hulu wistia wistia.com rumble rumble.com youku iqiyi rutube",
  shopping:
    "amazon ebay etsy walmart aliexpress alibaba temu shein rakuten idealo allegro bol.com otto zalando shopping shopping.google.com google-shopping googleshopping google_shopping mercadolibre mercadolivre shopee lazada flipkart taobao tmall jd coupang",
};

const KIND_BY_SOURCE = new Map(
  Object.entries(SOURCES).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as SiteKind] as const)),
);

/** Matches the hosts of shops that have a domain in each of many countries, such as amazon.co.uk. */
const SHOP_HOST =
  /^(?:www\.|m\.)?(amazon|ebay|etsy|walmart|aliexpress|alibaba|temu|shein|rakuten|idealo|allegro|otto|zalando|mercadolibre|mercadolivre|shopee|lazada|flipkart|taobao|tmall|jd|coupang)\.[a-z.]+$/;

const KIND_BY_RULE = new Map<SourceRule, SiteKind>([
  [SourceRule.SEARCH_ENGINE, "search"],
  [SourceRule.SOCIAL, "social"],
  [SourceRule.AI_ASSISTANT, "assistant"],
]);

/** Matches the media of paid visits, such as `cpc`, `ppc` and `paid-social`. */
const PAID = /cp|^(?:ppc|retargeting)$|^paid/;

const PAID_CHANNELS = {
  shopping: "Paid Shopping",
  search: "Paid Search",
  social: "Paid Social",
  video: "Paid Video",
} as const;

/**
 * The channels that the medium determines for any source. There is an exception: the channel of a paid visit from a search, social, video or shopping
 * site depends on the source.
 */
const BY_MEDIUM: readonly (readonly [media: RegExp, channel: string])[] = [
  [/^(?:display|banner|expandable|interstitial|cpm)$/, "Display"],
  [PAID, "Paid Other"],
  [/^e[-_ ]?mail$/, "Email"],
];

/** The channels that the medium determines if the source is not a site of a known kind. */
const BY_OTHER_MEDIUM: readonly (readonly [media: RegExp, channel: string])[] = [
  [/^ai-assistant$/, "AI Assistant"],
  [/^(?:social|social-network|social-media|sm|social network|social media)$/, "Organic Social"],
  [/video/, "Organic Video"],
  [/^organic$/, "Organic Search"],
  [/^affiliate$/, "Affiliates"],
  [/^(?:referral|app|link)$/, "Referral"],
  [/^audio$/, "Audio"],
  [/^sms$/, "SMS"],
  [/push$|mobile|notification/, "Mobile Push Notifications"],
];

const ORGANIC_CHANNELS = {
  shopping: "Organic Shopping",
  social: "Organic Social",
  video: "Organic Video",
  search: "Organic Search",
  assistant: "AI Assistant",
} as const satisfies Record<SiteKind, string>;

/** The channels that the source determines, keyed by the source. A medium in `BY_MEDIUM` takes precedence over the source. */
const BY_NAME = new Map([
  ["email", "Email"],
  ["e-mail", "Email"],
  ["e_mail", "Email"],
  ["e mail", "Email"],
  ["sms", "SMS"],
  ["firebase", "Mobile Push Notifications"],
]);

/**
 * Returns the channel of a source and medium, such as `Paid Search`; `Unassigned` if no rule applies. The rules are those of Google Analytics'
 * default channel group (https://support.google.com/analytics/answer/9756891) that do not depend on a campaign.
 *
 * There is one exception: the medium `email` always determines the channel, because webmail sites share names with search engines. In Google
 * Analytics, `email` determines the channel only if the source is not a known site.
 */
export function findTrafficChannel({ source, medium }: SourceMedium): string {
  if (source === "(direct)" && /^\((?:none|not set)\)$/.test(medium)) return "Direct";
  const kind = kindOf(source);
  if (PAID.test(medium) && kind !== undefined && kind !== "assistant") return PAID_CHANNELS[kind];
  const [, byMedium] = BY_MEDIUM.find(([media]) => media.test(medium)) ?? [];
  if (byMedium !== undefined) return byMedium;
  if (kind !== undefined) return ORGANIC_CHANNELS[kind];
  const [, byOther] = BY_OTHER_MEDIUM.find(([media]) => media.test(medium)) ?? [];
  return BY_NAME.get(source) ?? byOther ?? "Unassigned";
}

function kindOf(source: string): SiteKind | undefined {
  const kind = KIND_BY_SOURCE.get(source) ?? (SHOP_HOST.test(source) ? "shopping" : undefined);
  if (kind !== undefined) return kind;
  const site = findKnownSiteBySource(source) ?? (source.includes(".") ? findKnownSite(source) : undefined);
  return site && KIND_BY_RULE.get(site.rule);
}
