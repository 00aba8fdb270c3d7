import { readFile } from "node:fs/promises";
import { fromJson } from "@bufbuild/protobuf";
import { parseResolveVisit } from "@calltrack/domain";
import { ResolveVisitRequestSchema } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import { decideSource } from "@calltrack/domain/traffic-source";
import { describe, expect, test } from "vitest";
import { startVisit } from "./visit.js";

const SHOP = "https://shop.example/";

describe("the evidence", () => {
  test("has the tags, the names of click ids, and no more of addresses than scheme and host", () => {
    const address = `${SHOP}reset/tok3n?utm_source=%20News&utm_medium=Email&utm_term=x&gclid=s3cret&email=a%40b.example#k3y`;
    const { evidence } = startVisit(address, "https://mail.example/inbox/42?q=s3cret", "pay.example, *.bank.example");
    expect(evidence).toEqual({
      utm_source: "News",
      utm_medium: "Email",
      click_ids: ["gclid"],
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

  test.each(["gclid=", "gclid=%20", "xgclid=1", "clid=1", "constructor=1", "page=gclid", "#gclid=1"])(
    "finds no click id in ?%s",
    (query) => {
      expect(startVisit(`${SHOP}?${query}`, "").evidence.click_ids).toEqual([]);
    },
  );

  test.each([
    ["https://www.google.com/", "https://www.google.com"],
    ["http://192.0.2.1:8080/a?b", "http://192.0.2.1:8080"],
    ["android-app://com.google.android.gm/", "android-app://com.google.android.gm"],
    ["android-app://com.google.android.gm/https/mail.example/7", "android-app://com.google.android.gm"],
  ])("has of the referrer %s only %s", (referrer, expected) => {
    expect(startVisit(SHOP, referrer).evidence.referrer).toBe(expected);
  });

  test("has no user name of the page's address", () => {
    expect(startVisit("https://ann%40a.example:pw@shop.example/", "").evidence.page).toBe("https://shop.example");
  });
});

describe("the campaign", () => {
  test("has the tags in lower case, and the values of click ids", () => {
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
    "#utm_source=x",
  ])("is empty for %j", (query) => {
    expect(startVisit(SHOP + query, "https://www.google.com/").campaign).toEqual([]);
  });
});

interface VisitSample {
  readonly note: string;
  readonly address: string;
  readonly referrer: string;
  readonly user_agent?: string;
  /** Null for a crawler. */
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
    const { evidence } = parseResolveVisit(fromJson(ResolveVisitRequestSchema, visit));
    const { source = null, isCounted } = decideSource(evidence, user_agent ?? BROWSER);
    expect({ source, isCounted }).toEqual({ source: expected, isCounted: counted });
  });
});
