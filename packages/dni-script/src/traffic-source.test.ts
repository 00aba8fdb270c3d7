import { describe, expect, test } from "vitest";
import { findCampaign, findReferrerSource } from "./traffic-source.js";

const HERE = "https://www.shop.example/shoes?size=42";

describe("findCampaign", () => {
  test.each<[query: string, source: string, medium: string]>([
    ["utm_source=newsletter&utm_medium=email", "newsletter", "email"],
    ["utm_source=Google&utm_medium=CPC", "google", "cpc"],
    ["utm_source=%20Spring%20Sale%20&utm_medium=e-mail", "spring sale", "e-mail"],
    ["utm_source=a%00b%E2%80%8Bc&utm_medium=x%0A", "abc", "x"],
    ["utm_source=newsletter", "newsletter", "(not set)"],
    ["utm_source=newsletter&utm_medium=%20", "newsletter", "(not set)"],
    ["utm_source=b%C3%BCro&utm_medium=%E5%B9%BF%E5%91%8A", "büro", "广告"],
    ["gclid=Cj0", "google", "cpc"],
    ["gbraid=0A", "google", "cpc"],
    ["wbraid=Cl", "google", "cpc"],
    ["msclkid=1", "bing", "cpc"],
    ["yclid=1", "yandex", "cpc"],
    ["ttclid=1", "tiktok", "cpc"],
    ["twclid=1", "twitter", "cpc"],
    ["li_fat_id=1", "linkedin", "cpc"],
    ["fbclid=1", "facebook", "social"],
    ["utm_source=facebook&utm_medium=paid_social&fbclid=1", "facebook", "paid_social"],
    ["utm_source=adwords&gclid=1", "adwords", "cpc"],
    ["utm_medium=email&gclid=1", "google", "cpc"],
    ["page=2&gclid=1#top", "google", "cpc"],
  ])("%s", (query, source, medium) => {
    expect(findCampaign(`https://shop.example/?${query}`)).toMatchObject({ source, medium });
  });

  test.each([
    "",
    "page=2",
    "utm_source=",
    "utm_source=%20&utm_medium=cpc",
    "utm_medium=cpc",
    "utm_source=%E2%80%8B",
    "gclid=",
    "GCLID=1",
    "xgclid=1",
    "constructor=1",
  ])("finds no campaign in %j", (query) => {
    expect(findCampaign(`https://shop.example/?${query}`)).toBeUndefined();
  });

  test("ignores parameters in the fragment", () => {
    expect(findCampaign("https://shop.example/#utm_source=x")).toBeUndefined();
  });

  test.each<[name: string, source: string]>([
    ["300 letters", "x".repeat(300)],
    ["300 surrogate pairs", "😀".repeat(300)],
    ["surrogate pairs that the cut splits", `x${"😀".repeat(300)}`],
    ["letters whose lower case is longer", "İ".repeat(300)],
  ])("makes a name of %s valid for the server", (_, name) => {
    const { source = "" } = findCampaign(`https://shop.example/?utm_source=${encodeURIComponent(name)}`) ?? {};
    expect([...source].length).toBeLessThanOrEqual(255);
    expect(source).toMatch(/^\P{C}+$/u);
  });

  test.each<[name: string, other: string, isSame: boolean]>([
    ["the same campaign", "a=1&utm_source=S&utm_medium=m&gclid=1", true],
    ["another source", "utm_source=t&utm_medium=m&gclid=1", false],
    ["another medium", "utm_source=s&utm_medium=n&gclid=1", false],
    ["another click", "utm_source=s&utm_medium=m&gclid=2", false],
    ["no click", "utm_source=s&utm_medium=m", false],
  ])("distinguishes %s", (_, other, isSame) => {
    const [one, two] = ["utm_source=s&utm_medium=m&gclid=1", other].map((query) =>
      findCampaign(`https://a.example/?${query}`),
    );
    expect(one?.campaign === two?.campaign).toBe(isSame);
  });
});

describe("findReferrerSource", () => {
  test.each<[referrer: string, source: string, medium: string]>([
    ["", "(direct)", "(none)"],
    ["about:client", "(direct)", "(none)"],
    ["https://www.google.com/", "google", "organic"],
    ["https://google.de/", "google", "organic"],
    ["https://www.google.co.uk/", "google", "organic"],
    ["https://www.google.com.br/search?q=shoes", "google", "organic"],
    ["http://www.google.com:80/", "google", "organic"],
    ["https://www.bing.com/", "bing", "organic"],
    ["https://cn.bing.com/", "bing", "organic"],
    ["https://duckduckgo.com/", "duckduckgo", "organic"],
    ["https://search.yahoo.com/", "yahoo", "organic"],
    ["https://fr.search.yahoo.com/", "yahoo", "organic"],
    ["https://r.search.yahoo.com/", "yahoo", "organic"],
    ["https://search.yahoo.co.jp/", "yahoo", "organic"],
    ["https://yandex.com.tr/", "yandex", "organic"],
    ["https://m.baidu.com/", "baidu", "organic"],
    ["https://www.ecosia.org/", "ecosia", "organic"],
    ["https://search.brave.com/", "brave", "organic"],
    ["https://m.search.naver.com/", "naver", "organic"],
    ["https://l.facebook.com/", "facebook", "social"],
    ["https://lm.facebook.com/", "facebook", "social"],
    ["https://www.facebook.com/", "facebook", "social"],
    ["https://out.reddit.com/", "reddit", "social"],
    ["https://de.pinterest.com/", "pinterest", "social"],
    ["https://www.pinterest.co.uk/", "pinterest", "social"],
    ["https://t.co/", "twitter", "social"],
    ["https://x.com/", "twitter", "social"],
    ["https://www.threads.net/", "threads", "social"],
    ["https://blog.example/posts/1", "blog.example", "referral"],
    ["https://www.blog.example/", "blog.example", "referral"],
    ["https://other.shop.example/", "other.shop.example", "referral"],
    ["https://shop.example.org/", "shop.example.org", "referral"],
    ["https://notgoogle.com/", "notgoogle.com", "referral"],
    ["https://google.evil.com/", "google.evil.com", "referral"],
    ["https://google.com.evil.example/", "google.com.evil.example", "referral"],
    ["https://www.google.com.evil/", "google.com.evil", "referral"],
    ["https://google.info/", "google.info", "referral"],
    ["https://my-google.com/", "my-google.com", "referral"],
    ["https://mail.google.com/", "mail.google.com", "referral"],
    ["https://mail.yahoo.com/", "mail.yahoo.com", "referral"],
    ["https://notfacebook.com/", "notfacebook.com", "referral"],
    ["https://facebook.com.evil.example/", "facebook.com.evil.example", "referral"],
    ["https://at.co/", "at.co", "referral"],
    ["https://t.me/", "t.me", "referral"],
    ["https://netflix.com/", "netflix.com", "referral"],
    ["https://xn--bcher-kva.example/", "xn--bcher-kva.example", "referral"],
    ["android-app://com.google.android.gm/", "com.google.android.gm", "referral"],
    ["http://constructor/", "constructor", "referral"],
    ["http://192.0.2.1:8080/", "192.0.2.1", "referral"],
  ])("%j", (referrer, source, medium) => {
    expect(findReferrerSource(referrer, HERE)).toEqual({ source, medium });
  });

  test.each(["https://www.shop.example/", "https://shop.example/cart", "http://shop.example:8080/"])(
    "returns undefined for the same host: %s",
    (referrer) => {
      expect(findReferrerSource(referrer, HERE)).toBeUndefined();
    },
  );
});
