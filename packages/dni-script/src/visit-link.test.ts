import { afterEach, describe, expect, test, vi } from "vitest";
import type { Visit } from "./visit.js";
import { addSourceToLink, removeSourceFromAddress } from "./visit-link.js";

const VISIT: Visit = {
  evidence: { utm_source: undefined, utm_medium: undefined, ref: undefined, click_ids: [], referrer: "", page: "" },
  ...{ campaign: [], event: "", meanings: {} },
  ...{ origin: { source: "google", medium: "cpc" }, site: "shop.example" },
} as never;

afterEach(() => vi.unstubAllGlobals());

/** Clicks a text in a link on a page of www.shop.example. Returns the address of the link after the click. */
function click(address: string, visit: Partial<Visit> = {}): string {
  vi.stubGlobal("location", { hostname: "www.shop.example" });
  const link = new URL(address);
  addSourceToLink([{}, link, {}] as never, { ...VISIT, ...visit });
  return link.href;
}

describe("a link", () => {
  test.each([
    ["https://book.shop.example/", "https://book.shop.example/?calltrack=google~cpc"],
    ["https://shop.example/", "https://shop.example/?calltrack=google~cpc"],
    ["https://a.b.shop.example/x?y=1&z=a%20b#top", "https://a.b.shop.example/x?y=1&z=a%20b&calltrack=google~cpc#top"],
    ["https://book.shop.example/?calltrack=google~cpc", "https://book.shop.example/?calltrack=google~cpc"],
    ["https://www.shop.example/cart", "https://www.shop.example/cart"],
    ["https://myshop.example/", "https://myshop.example/"],
    ["https://shop.example.evil.example/", "https://shop.example.evil.example/"],
    ["mailto:ann@shop.example", "mailto:ann@shop.example"],
    ["tel:+12223334444", "tel:+12223334444"],
  ])("to %s leads to %s", (address, expected) => {
    expect(click(address)).toBe(expected);
  });

  test("gets the unchanged source", () => {
    const origin = { source: "spring & more~", medium: "(not set)" };
    expect(click("https://book.shop.example/", { origin })).toBe(
      "https://book.shop.example/?calltrack=spring%20%26%20more~~(not%20set)",
    );
  });

  test.each([
    ["the server has not decided the source", { origin: undefined, site: undefined }],
    ["the visitor is direct", { origin: { source: "(direct)", medium: "(none)" } }],
    ["the page has no site", { site: "127.0.0.1" }],
    ["an older server named no site", { site: undefined }],
  ])("stays unchanged if %s", (_, visit) => {
    expect(click("https://book.shop.example/", visit as never)).toBe("https://book.shop.example/");
  });
});

describe("the address of a page", () => {
  test.each([
    ["https://book.shop.example/?calltrack=google~cpc", "https://book.shop.example/"],
    ["https://book.shop.example/?a=b+c&calltrack=google~cpc", "https://book.shop.example/?a=b+c"],
    ["https://book.shop.example/?calltrack=a%20b~(not%20set)#top", "https://book.shop.example/#top"],
    ["https://book.shop.example/?calltrack=debug", undefined],
    ["https://book.shop.example/?a=~", undefined],
    ["https://book.shop.example/", undefined],
  ])("%s becomes %s", (href, expected) => {
    const replaceState = vi.fn();
    vi.stubGlobal("location", { href });
    vi.stubGlobal("history", { state: { page: 1 }, replaceState });
    removeSourceFromAddress();
    expect(replaceState.mock.calls).toEqual(expected === undefined ? [] : [[{ page: 1 }, "", expected]]);
  });
});
