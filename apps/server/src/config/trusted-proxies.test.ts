import { expect, test } from "vitest";
import { parseTrustedProxies } from "./trusted-proxies.js";

test.each([
  ["10.0.0.0/8, 2001:db8::1", "10.255.0.1", true],
  ["10.0.0.0/8, 2001:db8::1", "::ffff:10.255.0.1", true],
  ["10.0.0.0/8, 2001:db8::1", "11.0.0.1", false],
  ["10.0.0.0/8, 2001:db8::1", "2001:db8:0::1", true],
  ["10.0.0.0/8, 2001:db8::1", "2001:db8::2", false],
  ["192.0.2.1", "192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["2001:db8::/32", "2001:db8:ffff::", true],
  ["", "127.0.0.1", false],
  ["10.0.0.0/8", "", false],
])("with the proxies %j, %j is trusted: %j", (text, address, isTrusted) => {
  expect(parseTrustedProxies(text)?.(address)).toBe(isTrusted);
});

test.each([
  ...["proxy.example", "loopback", "10/8", "10.0.0.0/33", "10.0.0.0/0", "10.0.0.0/", "10.0.0.0/8/8"],
  ...["2001:db8::/129", "10.0.0.0/8,,"],
])("rejects the list %j", (text) => {
  expect(parseTrustedProxies(text)).toBeUndefined();
});
