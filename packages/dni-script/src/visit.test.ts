import { describe, expect, test } from "vitest";
import { continueVisit, type Visit } from "./visit.js";

const HOME = "https://shop.example/";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("continueVisit", () => {
  test.each<[name: string, address: string, referrer: string, source: string, medium: string]>([
    ["a campaign", `${HOME}?gclid=1`, "https://www.google.com/", "google", "cpc"],
    ["a search", HOME, "https://www.google.com/", "google", "organic"],
    ["a link", HOME, "https://blog.example/", "blog.example", "referral"],
    ["a direct visit", HOME, "", "(direct)", "(none)"],
    ["a campaign on an internal link", `${HOME}?utm_source=banner`, HOME, "banner", "(not set)"],
  ])("starts a visit from %s", (_, address, referrer, source, medium) => {
    expect(continueVisit(undefined, address, referrer)).toMatchObject({
      source,
      medium,
      event: expect.stringMatching(UUID),
    });
  });

  test("gives every visit a unique id", () => {
    const [one, two] = [HOME, HOME].map((address) => continueVisit(undefined, address, ""));
    expect(one?.event).not.toBe(two?.event);
  });

  test("does not report a visit whose first page is reached from the same host", () => {
    expect(continueVisit(undefined, `${HOME}cart`, HOME)).toEqual({ source: "(direct)", medium: "(none)", event: "" });
  });

  const before: Visit = continueVisit(undefined, `${HOME}?gclid=1`, "https://www.google.com/");

  test.each<[name: string, address: string, referrer: string]>([
    ["the next page", `${HOME}cart`, HOME],
    ["the same page again", `${HOME}?gclid=1`, "https://www.google.com/"],
    ["a page with the same campaign in its URL", `${HOME}cart?gclid=1&item=2`, HOME],
    ["the return from another site", HOME, "https://pay.example/"],
    ["a search in between", HOME, "https://www.bing.com/"],
    ["a typed URL", HOME, ""],
  ])("continues with %s", (_, address, referrer) => {
    expect(continueVisit(before, address, referrer)).toBe(before);
  });

  test.each<[name: string, address: string, source: string]>([
    ["another click", `${HOME}?gclid=2`, "google"],
    ["another campaign", `${HOME}?utm_source=newsletter`, "newsletter"],
  ])("starts a new visit without numbers after %s", (_, address, source) => {
    const visit = continueVisit({ ...before, answer: { asked: 0, numbers: [] } }, address, HOME);
    expect(visit).toMatchObject({ source, event: expect.stringMatching(UUID) });
    expect(visit.answer).toBeUndefined();
    expect(visit.event).not.toBe(before.event);
  });
});
