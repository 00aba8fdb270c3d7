import type { SourceMedium } from "./source-medium.js";

/** A URL parameter whose presence identifies the source of a visit. The value of the parameter is irrelevant. */
export interface ClickIdParameter extends SourceMedium {
  /** The name of the URL parameter, in lower case. */
  readonly name: string;
  /**
   * The referrers that take precedence over the parameter. If absent, no referrer takes precedence.
   *
   * - `site`: any other site, because several sites add the same parameter.
   * - `network`: another search engine, social network or AI assistant, because the parameter stays in links that people share. Other sites do not
   *   take precedence, because they can show the network's ads.
   */
  readonly yieldsTo?: "site" | "network";
  /** The site to which the referrer must belong for the parameter to count. If absent, the parameter counts with any referrer. */
  readonly onlyFrom?: string;
}

/**
 * The URL parameters that e-mail services add to links, keyed by the name of the service. Readers share the links of an e-mail, so referrers from
 * other networks take precedence.
 */
const MAILERS = {
  activecampaign: "vgo_ee",
  acoustic: "spmailingid spuserid spjobid",
  beehiiv: "_bhlid",
  blackbaud: "bbeml",
  blueshift: "bsft_clkid bsft_eid",
  dotdigital: "dm_i",
  dynamics: "_cldee",
  eloqua: "elqtrackid elqtrack",
  hubspot: "_hsenc _hsmi",
  kit: "ck_subscriber_id",
  klaviyo: "_kx _ke",
  listrak: "trk_msg trk_contact",
  mailchimp: "mc_cid mc_eid",
  mailerlite: "ml_subscriber ml_subscriber_hash",
  marketo: "mkt_tok",
  omeda: "oly_enc_id",
  omnisend: "omnisendcontactid",
  piano: "at_recipient_id at_recipient_list",
  salesforce: "et_rid sfmc_id sfmc_sub",
  squarespace: "ss_email_id",
  vero: "vero_id vero_conv",
};

/** The URL parameters that affiliate networks add to links, keyed by the name of the network. */
const AFFILIATES = {
  admitad: "admitad_uid",
  adtraction: "at_gd",
  avantlink: "avad",
  awin: "awc zanpid",
  belboon: "belboon",
  cj: "cjevent cjdata",
  "commission factory": "cfclick",
  effiliation: "effi_id",
  impact: "irclickid irgwc",
  partnerize: "clickref",
  partnerstack: "gspk ps_xid ps_partner_key",
  pepperjam: "pj_publisherid pj_creativeid",
  rakuten: "raneaid ransiteid ranmid",
  refersion: "rfsn",
  shareasale: "sscid",
  tradedoubler: "tduid",
  webgains: "wgu wgcampaignid",
};

/** The URL parameters that identify sources, in descending order of precedence. */
export const CLICK_ID_PARAMETERS: readonly ClickIdParameter[] = [
  { name: "gclid", source: "google", medium: "cpc" },
  { name: "gbraid", source: "google", medium: "cpc" },
  { name: "wbraid", source: "google", medium: "cpc" },
  { name: "msclkid", source: "bing", medium: "cpc" },
  { name: "yclid", source: "yahoo", medium: "cpc", onlyFrom: "yahoo.co.jp" },
  { name: "yclid", source: "yandex", medium: "cpc" },
  { name: "ttclid", source: "tiktok", medium: "cpc" },
  { name: "twclid", source: "twitter", medium: "cpc" },
  { name: "li_fat_id", source: "linkedin", medium: "cpc" },
  { name: "sccid", source: "snapchat", medium: "cpc" },
  { name: "rdt_cid", source: "reddit", medium: "cpc" },
  { name: "epik", source: "pinterest", medium: "cpc" },
  { name: "qclid", source: "quora", medium: "cpc" },
  { name: "tblci", source: "taboola", medium: "cpc" },
  { name: "dicbo", source: "outbrain", medium: "cpc" },
  { name: "ndclid", source: "nextdoor", medium: "cpc" },
  { name: "sznclid", source: "seznam", medium: "cpc" },
  { name: "bd_vid", source: "baidu", medium: "cpc" },
  { name: "qhclickid", source: "360search", medium: "cpc" },
  { name: "gdt_vid", source: "tencent", medium: "cpc" },
  { name: "ldtag_cl", source: "line", medium: "cpc" },
  { name: "rb_clickid", source: "vk", medium: "cpc" },
  { name: "cto_pld", source: "criteo", medium: "cpc" },
  { name: "ob_click_id", source: "outbrain", medium: "cpc" },
  { name: "ymclid", source: "yandex", medium: "cpc" },
  { name: "dclid", source: "google", medium: "display" },
  ...listIds(AFFILIATES, { medium: "affiliate" }),
  ...listIds(MAILERS, { medium: "email", yieldsTo: "network" }),
  { name: "fbclid", source: "facebook", medium: "social", yieldsTo: "site" },
  { name: "igsh", source: "instagram", medium: "social", yieldsTo: "site" },
  { name: "igshid", source: "instagram", medium: "social", yieldsTo: "site" },
  { name: "srsltid", source: "google", medium: "organic", yieldsTo: "network" },
  { name: "ysclid", source: "yandex", medium: "organic", yieldsTo: "network" },
  { name: "gad_source", source: "google", medium: "cpc", yieldsTo: "network" },
  { name: "gad_campaignid", source: "google", medium: "cpc", yieldsTo: "network" },
];

function listIds(
  namesBySource: Readonly<Record<string, string>>,
  rest: Pick<ClickIdParameter, "medium" | "yieldsTo">,
): readonly ClickIdParameter[] {
  return Object.entries(namesBySource).flatMap(([source, names]) =>
    names.split(" ").map((name) => ({ name, source, ...rest })),
  );
}
