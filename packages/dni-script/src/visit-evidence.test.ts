import { readFile } from "node:fs/promises";
import { fromJson } from "@bufbuild/protobuf";
import { parseResolveVisitRequest } from "@calltrack/domain";
import { ResolveVisitRequestSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { decideVisitSource } from "@calltrack/domain/traffic-source";
import { describe, expect, test } from "vitest";
import { startVisit } from "./visit.js";

const SHOP = "https://shop.example/";

describe("the evidence", () => {
  test("contains UTM parameters, the names of parameters, and only the scheme and host of addresses", () => {
    const address = `${SHOP}reset/tok3n?utm_source=%20News&utm_medium=Email&utm_term=x&gclid=s3cret&email=a%40b.example#k3y`;
    const { evidence } = startVisit(address, "https://mail.example/inbox/42?q=s3cret", "pay.example, *.bank.example");
    expect(evidence).toEqual({
      utm_source: "News",
      utm_medium: "Email",
      click_ids: ["utm_source", "utm_medium", "utm_term", "gclid", "email"],
      referrer: "https://mail.example",
      page: "https://shop.example",
      ignored_referrers: ["pay.example", "*.bank.example"],
    });
  });

  test("is empty without any of these", () => {
    expect(startVisit(SHOP, "").evidence).toEqual({ click_ids: [], referrer: "", page: "https://shop.example" });
  });

  test.each([
    ["gclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "dclid", "srsltid"],
    ["msclkid", "yclid", "ttclid", "twclid", "li_fat_id", "ScCid", "rdt_cid", "epik", "tblci", "dicbo", "qclid"],
    ["fbclid", "igsh", "igshid", "GCLID"],
    ["bd_vid", "qhclickid", "gdt_vid", "ldtag_cl", "rb_clickid", "cto_pld"],
  ])("names the click ids %s, %s, %s, %s …", (...names) => {
    const query = names.map((name) => `${name}=1`).join("&");
    expect(startVisit(`${SHOP}?${query}`, "").evidence.click_ids).toEqual(names);
  });

  test.each(["gclid=", "gclid=%20", "x=1", "ann@a.example=1", "user[ann]=1", `${"x".repeat(41)}=1`, "#top", "#/cart"])(
    "names no parameter of ?%s",
    (query) => {
      expect(startVisit(`${SHOP}?${query}`, "").evidence.click_ids).toEqual([]);
    },
  );

  test("has at most as many parameter names as the server accepts", () => {
    const query = Array.from({ length: 70 }, (_, index) => `filter${index}=1`).join("&");
    expect(startVisit(`${SHOP}?${query}`, "").evidence.click_ids).toHaveLength(50);
  });

  test.each<[address: string, source?: string | undefined, medium?: string | undefined, ref?: string]>([
    ["?UTM_SOURCE=a&Utm_Medium=b", "a", "b"],
    ["?mtm_source=a&mtm_medium=b", "a", "b"],
    ["?pk_source=a&pk_medium=b", "a", "b"],
    ["#utm_source=a&utm_medium=b", "a", "b"],
    ["#/cart?utm_source=a&utm_medium=b", "a", "b"],
    ["?x=1#!/cart?utm_source=a&utm_medium=b", "a", "b"],
    ["?utm_source=a&utm_medium=b#:~:text=boots", "a", "b"],
    ["?x=1?utm_source=a&utm_medium=b", "a", "b"],
    ["?utm_source=a&amp;utm_medium=b", "a", "b"],
    ["?utm_source=&utm_source=a", "a"],
    ["?utm_source=a%2520b", "a%20b"],
    ["?xutm_source=a&utm_sources=b", undefined],
    ["?ref=a", undefined, undefined, "a"],
    ["?source=a&medium=b", undefined, "b", "a"],
    ["?href=a&refs=b", undefined],
  ])("of %s contains its UTM parameters", (address, utm_source, utm_medium, ref) => {
    expect(startVisit(SHOP + address, "").evidence).toMatchObject({ utm_source, utm_medium, ref });
  });

  test.each([
    ["https://www.google.com/", "https://www.google.com"],
    ["http://192.0.2.1:8080/a?b", "http://192.0.2.1:8080"],
    ["android-app://com.google.android.gm/", "android-app://com.google.android.gm"],
    ["android-app://com.google.android.gm/https/mail.example/7", "android-app://com.google.android.gm"],
  ])("reduces the referrer %s to %s", (referrer, expected) => {
    expect(startVisit(SHOP, referrer).evidence.referrer).toBe(expected);
  });

  test("omits the user name in the page's address", () => {
    expect(startVisit("https://ann%40a.example:pw@shop.example/", "").evidence.page).toBe("https://shop.example");
  });
});

describe("a visit that a link from another host of the site carries", () => {
  test.each([
    ["google~cpc", "google", "cpc"],
    ["spring%20%26%20more~~(not%20set)", "spring & more~", "(not set)"],
    ["google%7Ecpc", "google", "cpc"],
  ])("%s gives the source, and the visit is not reported again", (carried, utm_source, utm_medium) => {
    const { evidence, event, campaign } = startVisit(`${SHOP}?utm_source=x&calltrack=${carried}`, SHOP);
    expect(evidence).toMatchObject({ utm_source, utm_medium });
    expect([event, campaign]).toEqual(["", [`${utm_source} ${utm_medium}`]]);
  });

  test.each(["debug", "~cpc", "google~", "~"])("is absent if the parameter is %s", (carried) => {
    const { evidence, event } = startVisit(`${SHOP}?calltrack=${carried}`, SHOP);
    expect([evidence.utm_source, event]).toEqual([undefined, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });
});

describe("the campaign", () => {
  test("contains the UTM parameters in lower case, and the values of click ids", () => {
    const { campaign } = startVisit(`${SHOP}?utm_source=S&utm_medium=M&gclid=Cj0&page=2`, "");
    expect(campaign).toEqual(["gclid,Cj0", "s m"]);
  });

  test.each([
    "",
    "?page=2",
    "?utm_source=",
    "?utm_source=%20&utm_medium=cpc",
    "?utm_medium=cpc",
    "?gclid=",
    "?ref=header",
    "?mc_cid=1",
  ])("is empty for %j", (query) => {
    expect(startVisit(SHOP + query, "https://www.google.com/").campaign).toEqual([]);
  });
});

interface VisitSample {
  readonly note: string;
  readonly address: string;
  readonly referrer: string;
  readonly user_agent?: string;
  /** The expected source and medium; null for a crawler. */
  readonly expected: { readonly source: string; readonly medium: string } | null;
  readonly counted: boolean;
}

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

const SAMPLES: readonly VisitSample[] = JSON.parse(
  await readFile(new URL("../../domain/src/testing/visit-samples.json", import.meta.url), "utf8"),
);

describe("the evidence lets the server decide", () => {
  test.each(SAMPLES)("$note", ({ address, referrer, user_agent, expected, counted }) => {
    const sent = JSON.parse(JSON.stringify(startVisit(address, referrer).evidence));
    const visit = { account_id: "acme", property_token: "shop", evidence: sent };
    const { evidence } = parseResolveVisitRequest(fromJson(ResolveVisitRequestSchema, visit));
    const { source = null, isCounted } = decideVisitSource(evidence, user_agent ?? BROWSER);
    expect({ source, isCounted }).toEqual({ source: expected, isCounted: counted });
  });
});
