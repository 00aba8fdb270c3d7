import { readFileSync } from "node:fs";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CLICK_ID_PARAMETERS } from "./click-id-parameters.js";
import { parseResolveVisitRequest } from "./dni.js";
import { ResolveVisitRequestSchema, SourceRule, type VisitEvidenceSchema } from "./gen/calltracking/v1/dni_pb.js";
import { PAYMENT_PROVIDER_HOSTS, SIGN_IN_HOSTS } from "./known-site-additions.js";
import { violationsOf } from "./testing/broken-request.js";
import { decideVisitSource } from "./traffic-source.js";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

function parseEvidence(evidence: MessageInitShape<typeof VisitEvidenceSchema>) {
  const request = { accountId: "acme", propertyToken: "shop", evidence };
  return parseResolveVisitRequest(create(ResolveVisitRequestSchema, request)).evidence;
}

/** Returns the evidence that a page sends, from its URL and its referrer. */
function seenBy(address: string, referrer = "") {
  const { searchParams, protocol, host } = new URL(address);
  return {
    utmSource: searchParams.get("utm_source") ?? "",
    utmMedium: searchParams.get("utm_medium") ?? "",
    clickIds: [...searchParams]
      .filter(([name, value]) => value !== "" && !name.startsWith("utm_"))
      .map(([name]) => name),
    referrer: /^[^:]+:\/\/[^/?#]+/.exec(referrer)?.[0] ?? referrer,
    page: `${protocol}//${host}`,
  };
}

function decide(address: string, referrer?: string, evidence: MessageInitShape<typeof VisitEvidenceSchema> = {}) {
  const { source, isCounted, rule } = decideVisitSource(
    parseEvidence({ ...seenBy(address, referrer), ...evidence }),
    BROWSER,
  );
  const text = source === undefined ? "none" : `${source.source} / ${source.medium}`;
  return `${text}${isCounted ? "" : " (not counted)"} by ${SourceRule[rule]}`;
}

describe("the address", () => {
  test.each<[query: string, decision: string]>([
    ["utm_source=newsletter&utm_medium=email", "newsletter / email by CAMPAIGN"],
    ["utm_source=Google&utm_medium=CPC", "google / cpc by CAMPAIGN"],
    ["utm_source=%20Spring%20Sale%20&utm_medium=e-mail", "spring sale / e-mail by CAMPAIGN"],
    ["utm_source=a%00b%E2%80%8Bc&utm_medium=x%0A", "abc / x by CAMPAIGN"],
    ["utm_source=newsletter", "newsletter / (not set) by CAMPAIGN"],
    ["utm_source=newsletter&utm_medium=%20", "newsletter / (not set) by CAMPAIGN"],
    ["utm_source=b%C3%BCro&utm_medium=%E5%B9%BF%E5%91%8A", "büro / 广告 by CAMPAIGN"],
    ["utm_source=bu%CC%88ro&utm_medium=x", "büro / x by CAMPAIGN"],
    ["utm_source=facebook&utm_medium=paid_social&fbclid=1", "facebook / paid_social by CAMPAIGN"],
    ["utm_source=adwords&gclid=1", "adwords / cpc by CAMPAIGN"],
    ["utm_source=chatgpt.com", "chatgpt / ai-assistant by CAMPAIGN"],
    ["utm_source=openai", "chatgpt / ai-assistant by CAMPAIGN"],
    ["utm_source=www.perplexity.ai", "perplexity / ai-assistant by CAMPAIGN"],
    ["utm_source=chatgpt.com&utm_medium=referral", "chatgpt / referral by CAMPAIGN"],
    ["utm_source=facebook.com", "facebook.com / (not set) by CAMPAIGN"],
    ["utm_medium=email&gclid=1", "google / cpc by CLICK_ID"],
    ["page=2&gclid=1#top", "google / cpc by CLICK_ID"],
    ["gclid=Cj0", "google / cpc by CLICK_ID"],
    ["gbraid=0A", "google / cpc by CLICK_ID"],
    ["wbraid=Cl", "google / cpc by CLICK_ID"],
    ["msclkid=1", "bing / cpc by CLICK_ID"],
    ["yclid=1", "yandex / cpc by CLICK_ID"],
    ["ttclid=1", "tiktok / cpc by CLICK_ID"],
    ["twclid=1", "twitter / cpc by CLICK_ID"],
    ["li_fat_id=1", "linkedin / cpc by CLICK_ID"],
    ["ScCid=1", "snapchat / cpc by CLICK_ID"],
    ["rdt_cid=1", "reddit / cpc by CLICK_ID"],
    ["epik=1", "pinterest / cpc by CLICK_ID"],
    ["qclid=1", "quora / cpc by CLICK_ID"],
    ["tblci=1", "taboola / cpc by CLICK_ID"],
    ["dicbo=1", "outbrain / cpc by CLICK_ID"],
    ["dclid=1", "google / display by CLICK_ID"],
    ["dclid=1&gclid=1", "google / cpc by CLICK_ID"],
    ["srsltid=1", "google / organic by CLICK_ID"],
    ["fbclid=1", "facebook / social by CLICK_ID"],
    ["igsh=1", "instagram / social by CLICK_ID"],
    ["fbclid=1&gclid=1", "google / cpc by CLICK_ID"],
    ["gad_source=1", "google / cpc by CLICK_ID"],
    ["gad_campaignid=1", "google / cpc by CLICK_ID"],
    ["gad_source=1&msclkid=1", "bing / cpc by CLICK_ID"],
    ["gad_source=1&fbclid=1", "facebook / social by CLICK_ID"],
    ["", "(direct) / (none) by DIRECT"],
    ["utm_source=", "(direct) / (none) by DIRECT"],
    ["utm_source=%20&utm_medium=cpc", "(direct) / (none) by DIRECT"],
    ["utm_source=%E2%80%8B", "(direct) / (none) by DIRECT"],
    ["utm_medium=cpc", "(direct) / (none) by DIRECT"],
    ["gclid=", "(direct) / (none) by DIRECT"],
    ["xgclid=1&constructor=1", "(direct) / (none) by DIRECT"],
  ])("%s", (query, decision) => {
    expect(decide(`https://shop.example/?${query}`)).toBe(decision);
  });

  test.each<[name: string, source: string]>([
    ["300 letters", "x".repeat(300)],
    ["300 surrogate pairs", "😀".repeat(300)],
    ["letters whose lower case is longer", "İ".repeat(300)],
    ["a space at the cut", `${"x".repeat(254)} y`],
  ])("makes a valid name of %s", (_, utmSource) => {
    const { source = { source: "" } } = decideVisitSource(parseEvidence({ utmSource }), BROWSER);
    expect([...source.source].length).toBeGreaterThan(253);
    expect([...source.source].length).toBeLessThan(256);
    expect(source.source).toMatch(/^(?! )\P{C}+(?<! )$/u);
  });
});

describe("the referrer", () => {
  test.each<[referrer: string, decision: string]>([
    ["", "(direct) / (none) by DIRECT"],
    ["about:client", "(direct) / (none) by DIRECT"],
    ["chrome-extension://abc/", "(direct) / (none) by DIRECT"],
    ["https://", "(direct) / (none) by DIRECT"],
    ["nonsense", "(direct) / (none) by DIRECT"],
    ["android-app://a%20b/", "(direct) / (none) by DIRECT"],
    ["https://%%%/", "(direct) / (none) by DIRECT"],
    ["https://www.google.com/", "google / organic by SEARCH_ENGINE"],
    ["https://WWW.Google.com./", "google / organic by SEARCH_ENGINE"],
    ["https://google.de/", "google / organic by SEARCH_ENGINE"],
    ["https://www.google.co.uk/", "google / organic by SEARCH_ENGINE"],
    ["https://www.google.com.br/search?q=shoes", "google / organic by SEARCH_ENGINE"],
    ["http://www.google.com:80/", "google / organic by SEARCH_ENGINE"],
    ["https://images.google.fr/", "google / organic by SEARCH_ENGINE"],
    ["android-app://com.google.android.googlequicksearchbox/https/www.google.com", "google / organic by SEARCH_ENGINE"],
    ["https://www.bing.com/", "bing / organic by SEARCH_ENGINE"],
    ["https://cn.bing.com/", "bing / organic by SEARCH_ENGINE"],
    ["https://duckduckgo.com/", "duckduckgo / organic by SEARCH_ENGINE"],
    ["https://html.duckduckgo.com/", "duckduckgo / organic by SEARCH_ENGINE"],
    ["https://www.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://fr.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://search.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://fr.search.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://malaysia.search.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://r.search.yahoo.com/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://search.yahoo.co.jp/", "yahoo / organic by SEARCH_ENGINE"],
    ["https://yandex.com.tr/", "yandex / organic by SEARCH_ENGINE"],
    ["https://ya.ru/", "yandex / organic by SEARCH_ENGINE"],
    ["https://m.baidu.com/", "baidu / organic by SEARCH_ENGINE"],
    ["https://www.ecosia.org/", "ecosia / organic by SEARCH_ENGINE"],
    ["https://search.brave.com/", "brave / organic by SEARCH_ENGINE"],
    ["https://m.search.naver.com/", "naver / organic by SEARCH_ENGINE"],
    ["https://www.startpage.com/", "startpage / organic by SEARCH_ENGINE"],
    ["https://l.facebook.com/", "facebook / social by SOCIAL"],
    ["https://lm.facebook.com/", "facebook / social by SOCIAL"],
    ["https://www.facebook.com/", "facebook / social by SOCIAL"],
    ["android-app://com.facebook.katana/", "facebook / social by SOCIAL"],
    ["https://l.instagram.com/", "instagram / social by SOCIAL"],
    ["https://out.reddit.com/", "reddit / social by SOCIAL"],
    ["https://de.pinterest.com/", "pinterest / social by SOCIAL"],
    ["https://www.pinterest.co.uk/", "pinterest / social by SOCIAL"],
    ["https://t.co/", "twitter / social by SOCIAL"],
    ["https://x.com/", "twitter / social by SOCIAL"],
    ["https://www.threads.net/", "threads / social by SOCIAL"],
    ["https://lnkd.in/", "linkedin / social by SOCIAL"],
    ["android-app://com.linkedin.android/", "linkedin / social by SOCIAL"],
    ["https://t.me/", "telegram / social by SOCIAL"],
    ["https://chatgpt.com/", "chatgpt / ai-assistant by AI_ASSISTANT"],
    ["https://www.perplexity.ai/", "perplexity / ai-assistant by AI_ASSISTANT"],
    ["https://copilot.microsoft.com/", "copilot / ai-assistant by AI_ASSISTANT"],
    ["https://gemini.google.com/", "gemini / ai-assistant by AI_ASSISTANT"],
    ["https://cdn.ampproject.org/", "google / organic by AMP_CACHE"],
    ["https://www-shop-example.cdn.ampproject.org/", "google / organic by AMP_CACHE"],
    ["https://shop-example.bing-amp.com/", "bing / organic by AMP_CACHE"],
    ["https://my--blog-example.cdn.ampproject.org/", "my-blog.example / referral by REFERRAL"],
    ["https://blog.example/posts/1", "blog.example / referral by REFERRAL"],
    ["https://my.www.blog.example/", "blog.example / referral by REFERRAL"],
    ["https://www.blog.example/", "blog.example / referral by REFERRAL"],
    ["https://other.shop.example/", "(direct) / (none) (not counted) by SAME_SITE"],
    ["https://shop.example.org/", "example.org / referral by REFERRAL"],
    ["https://notgoogle.com/", "notgoogle.com / referral by REFERRAL"],
    ["https://google.evil.com/", "evil.com / referral by REFERRAL"],
    ["https://google.com.evil.example/", "evil.example / referral by REFERRAL"],
    ["https://www.google.com.evil/", "com.evil / referral by REFERRAL"],
    ["https://google.info/", "google.info / referral by REFERRAL"],
    ["https://my-google.com/", "my-google.com / referral by REFERRAL"],
    ["https://mail.google.com/", "gmail / email by EMAIL"],
    ["https://mail.yahoo.com/", "yahoo / email by EMAIL"],
    ["https://notfacebook.com/", "notfacebook.com / referral by REFERRAL"],
    ["https://facebook.com.evil.example/", "evil.example / referral by REFERRAL"],
    ["https://at.co/", "at.co / referral by REFERRAL"],
    ["https://netflix.com/", "netflix.com / referral by REFERRAL"],
    ["https://edition.cnn.com/", "cnn.com / referral by REFERRAL"],
    ["https://xn--bcher-kva.example/", "xn--bcher-kva.example / referral by REFERRAL"],
    ["android-app://com.google.android.gm/", "gmail / email by EMAIL"],
    ["http://constructor/", "constructor / referral by REFERRAL"],
    ["http://192.0.2.1:8080/", "192.0.2.1 / referral by REFERRAL"],
    ["https://www.shop.example/", "(direct) / (none) (not counted) by SAME_SITE"],
    ["https://shop.example/cart", "(direct) / (none) (not counted) by SAME_SITE"],
    ["http://shop.example:8080/", "(direct) / (none) (not counted) by SAME_SITE"],
    ["https://www.paypal.com/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://checkout.stripe.com/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://bank.test/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://login.bank.test/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://www.idp.test/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://3ds.test/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://a.wallet.test/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://bigbank.test/", "bigbank.test / referral by REFERRAL"],
    ["https://accounts.google.com/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://accounts.google.co.uk/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["https://docs.google.com/", "docs.google.com / referral by REFERRAL"],
    ["https://finance.yahoo.co.jp/", "finance.yahoo.co.jp / referral by REFERRAL"],
    ["https://en.m.blog.co.uk/", "blog.co.uk / referral by REFERRAL"],
    ["https://www.alice.github.io/", "alice.github.io / referral by REFERRAL"],
    ["https://github.io/", "github.io / referral by REFERRAL"],
    ["http://intranet/", "intranet / referral by REFERRAL"],
    ["http://[2001:db8::1]/", "[2001:db8::1] / referral by REFERRAL"],
    ["https://webmail.host.example/", "host.example / email by EMAIL"],
    ["https://mail-7.host.example/", "host.example / email by EMAIL"],
    ["https://mail.example/", "mail.example / referral by REFERRAL"],
    ["https://googleads.g.doubleclick.net/", "google / display by AD_SERVER"],
    ["https://tpc.googlesyndication.com/", "google / display by AD_SERVER"],
    ["https://www.adsensecustomsearchads.com/", "google / display by AD_SERVER"],
    ["https://cat.nl3.eu.criteo.com/", "criteo / display by AD_SERVER"],
    ["https://ib.adnxs.com/", "xandr / display by AD_SERVER"],
    ["https://openai.com/", "chatgpt / ai-assistant by AI_ASSISTANT"],
    ["https://mailing.host.example/", "host.example / referral by REFERRAL"],
    ["android-app://mail.host.example/", "mail.host.example / referral by REFERRAL"],
  ])("%j", (referrer, decision) => {
    const ignoredReferrers = ["Bank.test", "https://www.idp.test/", " *.3ds.test", ".wallet.test", "not a host"];
    expect(decide("https://www.shop.example/shoes?size=42", referrer, { ignoredReferrers })).toBe(decision);
  });
});

describe("a click id and a referrer", () => {
  test.each<[query: string, referrer: string, decision: string]>([
    ["gclid=1", "https://blog.example/", "google / cpc by CLICK_ID"],
    ["gclid=1", "https://shop.example/", "google / cpc by CLICK_ID"],
    ["utm_source=x&utm_medium=y", "https://www.google.com/", "x / y by CAMPAIGN"],
    ["fbclid=1", "https://l.instagram.com/", "instagram / social by SOCIAL"],
    ["fbclid=1", "https://l.facebook.com/", "facebook / social by SOCIAL"],
    ["igsh=1", "https://l.facebook.com/", "facebook / social by SOCIAL"],
    ["fbclid=1", "https://www.google.com/", "google / organic by SEARCH_ENGINE"],
    ["fbclid=1", "https://blog.example/", "blog.example / referral by REFERRAL"],
    ["fbclid=1", "https://shop.example/", "facebook / social by CLICK_ID"],
    ["fbclid=1", "https://www.paypal.com/", "facebook / social by CLICK_ID"],
    ["gad_source=1", "https://www.google.com/", "google / cpc by CLICK_ID"],
    ["gad_source=1", "https://blog.example/", "google / cpc by CLICK_ID"],
    ["gad_source=1", "https://www.bing.com/", "bing / organic by SEARCH_ENGINE"],
    ["gad_source=1", "https://chatgpt.com/", "chatgpt / ai-assistant by AI_ASSISTANT"],
    ["gad_source=1&fbclid=1", "https://www.google.com/", "google / cpc by CLICK_ID"],
    ["srsltid=1", "https://www.facebook.com/", "facebook / social by SOCIAL"],
    ["mc_cid=1", "https://mail.google.com/", "mailchimp / email by CLICK_ID"],
    ["mc_cid=1", "https://blog.example/", "mailchimp / email by CLICK_ID"],
    ["mc_cid=1", "https://www.facebook.com/", "facebook / social by SOCIAL"],
    ["fbclid=1", "https://mail.google.com/", "gmail / email by EMAIL"],
    ["awc=1", "https://www.facebook.com/", "awin / affiliate by CLICK_ID"],
    ["utm_source=may&mc_cid=1", "https://mail.google.com/", "may / email by CAMPAIGN"],
    ["utm_source=instagram", "https://l.instagram.com/", "instagram / social by CAMPAIGN"],
    ["utm_source=blog", "https://www.blog.example/", "blog / referral by CAMPAIGN"],
    ["utm_source=instagram", "https://www.facebook.com/", "instagram / (not set) by CAMPAIGN"],
  ])("%s from %s", (query, referrer, decision) => {
    expect(decide(`https://shop.example/?${query}`, referrer)).toBe(decision);
  });
});

describe("the user agent", () => {
  const CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";

  test.each<[evidence: string | undefined, request: string | undefined, isCrawler: boolean]>([
    [undefined, BROWSER, false],
    [undefined, CRAWLER, true],
    [undefined, "curl/8.5.0", true],
    [undefined, undefined, false],
    [CRAWLER, BROWSER, true],
    [BROWSER, CRAWLER, false],
    ["", CRAWLER, false],
  ])("%j in a request by %j", (userAgent, ofRequest, isCrawler) => {
    const seen = { utmSource: "a", ...(userAgent !== undefined && { userAgent }) };
    const decision = decideVisitSource(parseEvidence(seen), ofRequest);
    expect(decision.rule).toBe(isCrawler ? SourceRule.CRAWLER : SourceRule.CAMPAIGN);
    expect([decision.isCounted, decision.source !== undefined]).toEqual([!isCrawler, !isCrawler]);
  });
});

test("accepts as many values as the limit", () => {
  const evidence = { clickIds: Array.from({ length: 50 }, () => "x".repeat(100)), utmSource: "😀".repeat(4096) };
  expect(violationsOf(() => parseEvidence(evidence))).toEqual([]);
});

test("rejects evidence that is too long, without repeating it", () => {
  const long = "secret".repeat(1000);
  const evidence = {
    ...{ utmSource: long, utmMedium: long, clickIds: ["gclid", long], referrer: long, page: long, userAgent: long },
    ignoredReferrers: Array.from({ length: 51 }, () => "pay.example"),
  };
  const violations = violationsOf(() => parseEvidence(evidence));
  expect(violations).toEqual([
    { field: "evidence.utm_source", description: "must have at most 4096 characters" },
    { field: "evidence.utm_medium", description: "must have at most 4096 characters" },
    { field: "evidence.referrer", description: "must have at most 4096 characters" },
    { field: "evidence.page", description: "must have at most 4096 characters" },
    { field: "evidence.user_agent", description: "must have at most 4096 characters" },
    { field: "evidence.click_ids[1]", description: "must have at most 100 characters" },
    { field: "evidence.ignored_referrers", description: "must contain at most 50 values" },
  ]);
});

describe("a ref", () => {
  test.each<[ref: string, query: string, referrer: string, decision: string]>([
    ["Partner", "", "", "partner / (not set) by CAMPAIGN"],
    ["partner", "utm_medium=email", "", "partner / email by CAMPAIGN"],
    ["partner", "", "https://blog.example/", "partner / (not set) by CAMPAIGN"],
    ["blog.example", "", "https://www.blog.example/", "blog.example / referral by REFERRAL"],
    ["blog", "", "https://www.blog.example/", "blog.example / referral by REFERRAL"],
    ["blo", "", "https://www.blog.example/", "blo / (not set) by CAMPAIGN"],
    ["chatgpt.com", "", "", "chatgpt / ai-assistant by CAMPAIGN"],
    ["partner", "", "https://www.google.com/", "google / organic by SEARCH_ENGINE"],
    ["partner", "", "https://mail.google.com/", "gmail / email by EMAIL"],
    ["partner", "gclid=1", "", "google / cpc by CLICK_ID"],
    ["partner", "utm_source=may", "", "may / (not set) by CAMPAIGN"],
    ["header", "", "https://www.shop.example/", "(direct) / (none) (not counted) by SAME_SITE"],
    ["header", "", "https://www.paypal.com/", "(direct) / (none) (not counted) by IGNORED_REFERRER"],
    ["4711", "", "", "(direct) / (none) by DIRECT"],
    [" ", "", "", "(direct) / (none) by DIRECT"],
  ])("%j with %j from %j", (ref, query, referrer, decision) => {
    expect(decide(`https://shop.example/?${query}`, referrer, { ref })).toBe(decision);
  });
});

describe("a tag that is encoded twice", () => {
  test.each([
    ["spring%20sale", "spring sale"],
    ["spring%2520sale", "spring sale"],
    ["spring%252520sale", "spring%20sale"],
    ["100%", "100%"],
    ["50%25", "50%"],
    ["%E0%A4%A", "%e0%a4%a"],
    ["b%C3%BCro", "büro"],
  ])("%s is %s", (utmSource, source) => {
    expect(decideVisitSource(parseEvidence({ utmSource, utmMedium: "email" }), BROWSER).source?.source).toBe(source);
  });
});

test("the documentation names every click id, payment provider and sign-in page", () => {
  const page = readFileSync(new URL("../../../docs/sources.md", import.meta.url), "utf8").toLowerCase();
  const names = [...CLICK_ID_PARAMETERS.map(({ name }) => name), ...PAYMENT_PROVIDER_HOSTS, ...SIGN_IN_HOSTS];
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});
