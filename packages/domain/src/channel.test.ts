import { expect, test } from "vitest";
import { findTrafficChannel } from "./channel.js";

test.each<[channel: string, ...sources: string[]]>([
  ["Direct", "(direct) / (none)", "(direct) / (not set)"],
  ["Paid Shopping", "amazon / cpc", "ebay.co.uk / cpm", "shopping.google.com / ppc"],
  [
    "Paid Search",
    "google / cpc",
    "bing / ppc",
    "yandex / paidsearch",
    "adwords / cpc",
    "google.de / cpc",
    "baidu / cpc",
  ],
  ["Paid Social", "facebook / cpc", "twitter / paid_social", "fb / cpm", "linkedin.com / retargeting", "tiktok / cpc"],
  ["Paid Video", "youtube / cpv-cpc", "vimeo.com / paid"],
  ["Display", "google / display", "partner / banner", "news.example / interstitial", "news.example / cpm"],
  ["Paid Other", "taboola / cpc", "criteo / retargeting", "chatgpt / paid"],
  ["Organic Shopping", "amazon.de / referral", "etsy / referral"],
  ["Organic Social", "facebook / social", "instagram.com / (not set)", "partner / social-media", "partner / sm"],
  ["Organic Video", "youtube / social", "partner / video-ad"],
  ["Organic Search", "google / organic", "duckduckgo / organic", "google / local", "partner / organic"],
  ["AI Assistant", "chatgpt / ai-assistant", "perplexity.ai / referral", "lechat / ai-assistant"],
  [
    "Email",
    "gmail / email",
    "yahoo / email",
    "newsletter / e-mail",
    "google / email",
    "email / (not set)",
    "may / e_mail",
  ],
  ["Affiliates", "awin / affiliate"],
  ["Referral", "blog.example / referral", "docs.google.com / referral", "partner / link"],
  ["Audio", "radio / audio"],
  ["SMS", "sms / (not set)", "campaign / sms"],
  ["Mobile Push Notifications", "firebase / (not set)", "shop / web-push", "shop / mobile-app", "shop / notification"],
  [
    "Unassigned",
    "spring sale / (not set)",
    "newsletter / offline",
    "amazing.example / x",
    "(direct) / x",
    "x.example / organics",
  ],
])("%s", (channel, ...sources) => {
  const channels = sources.map((each) => {
    const [source = "", medium = ""] = each.split(" / ");
    return `${each}: ${findTrafficChannel({ source, medium })}`;
  });
  expect(channels).toEqual(sources.map((each) => `${each}: ${channel}`));
});
