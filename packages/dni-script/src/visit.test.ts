import { describe, expect, test } from "vitest";
import { continueVisit, startVisit, type Visit } from "./visit.js";

const HOME = "https://shop.example/";

const LANDING = `${HOME}?utm_source=s&utm_medium=m&gclid=1&gad_source=1`;

describe("a visit", () => {
  test("has a unique id", () => {
    const [one, two] = [HOME, HOME].map((address) => startVisit(address, "").event);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(one).not.toBe(two);
  });

  const before: Visit = {
    ...startVisit(LANDING, "https://www.google.com/"),
    origin: { source: "s", medium: "m" },
    meanings: { "+1": "+1", "+15": "+1" },
  };

  test.each<[name: string, address: string, referrer: string]>([
    ["the next page", `${HOME}cart`, HOME],
    ["the same page again", LANDING, "https://www.google.com/"],
    ["a page with the campaign in its URL", `${LANDING}&item=2`, HOME],
    ["a page with a part of the campaign in its URL", `${HOME}cart?gclid=1`, HOME],
    ["the campaign in another case", `${HOME}?utm_source=S&utm_medium=M`, HOME],
    ["the return from another site", HOME, "https://pay.example/"],
    ["a search in between", HOME, "https://www.bing.com/"],
    ["a typed URL", HOME, ""],
    ["its own source in a link from another host", `${HOME}?calltrack=s~m`, "https://book.shop.example/"],
  ])("continues with %s", (_, address, referrer) => {
    expect(continueVisit(before, startVisit(address, referrer))).toEqual(before);
  });

  test.each<[name: string, query: string]>([
    ["another click", "gclid=2"],
    ["another source", "utm_source=t&utm_medium=m&gclid=1"],
    ["another medium", "utm_source=s&gclid=1"],
    ["another click id with the same value", "msclkid=1"],
    ["another source in a link from another host", "calltrack=t~m"],
  ])("ends with %s", (_, query) => {
    const page = startVisit(`${HOME}?${query}`, HOME);
    expect(continueVisit(before, page)).toEqual({ ...page, meanings: before.meanings });
  });

  test("continues with the decided source in a link from another host", () => {
    const searched = {
      ...startVisit(HOME, "https://www.google.com/"),
      origin: { source: "google", medium: "organic" },
    };
    const page = startVisit(`${HOME}?calltrack=google~organic`, "https://book.shop.example/");
    expect(continueVisit(searched, page)).toEqual(searched);
  });

  test("begins if none is stored", () => {
    const page = startVisit(HOME, "");
    expect(continueVisit({}, page)).toEqual(page);
  });

  test("ends if an older script stored it, without evidence", () => {
    const page = startVisit(HOME, "");
    const stored = JSON.stringify({ source: "google", medium: "cpc", campaign: "googlecpc1", event: "" });
    expect(continueVisit(JSON.parse(stored), page)).toEqual(page);
  });
});
