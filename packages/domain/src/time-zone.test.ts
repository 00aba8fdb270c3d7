import { expect, test } from "vitest";
import { canonicalizeTimeZone, findTimeZoneProblem } from "./time-zone.js";

test.each([
  ["Europe/Berlin", "Europe/Berlin"],
  ["europe/berlin", "europe/berlin"],
  ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
  ["UTC", "UTC"],
  ["GMT", "UTC"],
  ["Etc/UTC", "UTC"],
  ["Etc/GMT+5", "Etc/GMT+5"],
  // Names in the IANA database that PostgreSQL reads as abbreviations without daylight saving.
  ["CET", "Europe/Brussels"],
  ["MET", "Europe/Brussels"],
  ["EET", "Europe/Athens"],
  ["WET", "Europe/Lisbon"],
  // Names that some installations of the IANA database do not contain.
  ["US/Pacific", "America/Los_Angeles"],
  ["GB", "Europe/London"],
  ["EST5EDT", "America/New_York"],
])("the time zone %s is %s", (name, canonical) => {
  expect(findTimeZoneProblem(name)).toBeUndefined();
  expect(canonicalizeTimeZone(name)).toBe(canonical);
});

test.each([
  ["BST", "Europe/London"],
  ["bst", "Europe/London"],
  ["IST", "Asia/Kolkata"],
  ["CST", "America/Chicago"],
  ["EST", "America/New_York"],
  ["MST", "America/Denver"],
  ["AEST", "Europe/Berlin"],
  ["PST", "America/Los_Angeles"],
  ["+01:00", "Europe/Berlin"],
  ["-0800", "Europe/Berlin"],
  ["\u221208:00", "Europe/Berlin"],
  ["Europe/Atlantis", "Europe/Berlin"],
  ["", "Europe/Berlin"],
])("%s is no time zone, and the error names %s", (name, meant) => {
  expect(findTimeZoneProblem(name)).toMatch(new RegExp(`^must (?:not )?be .*such as ${meant}$`));
});
