import { describe, expect, test } from "vitest";
import { networkOf, TrustedProxies } from "./trusted-proxies.js";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1", "fe80:0:0:0::/64"],
])("counts %s as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

describe("the client behind the proxies 10.0.0.0/8 and 2001:db8::1", () => {
  const NETWORKS = "10.0.0.0/8, 2001:db8::1";
  const clientAt = (remoteAddress: string, headers: Readonly<Record<string, string>>) =>
    new TrustedProxies(NETWORKS).clientOf({ header: (name) => headers[name], peer: { address: remoteAddress } });

  test.each([
    ["is the peer if the peer is not a proxy", "203.0.113.7", { "x-forwarded-for": "1.2.3.4" }, "203.0.113.7"],
    ["is the proxy without x-forwarded-for", "10.1.1.1", {}, "10.1.1.1"],
    [
      "is the last address that is not a proxy",
      "::ffff:10.1.1.1",
      { "x-forwarded-for": "6.6.6.6, 198.51.100.1, 10.2.2.2" },
      "198.51.100.1",
    ],
    ["is the first address if all are proxies", "10.1.1.1", { "x-forwarded-for": "10.9.9.9, 10.2.2.2" }, "10.9.9.9"],
    [
      "is the proxy that forwards an invalid address",
      "10.1.1.1",
      { "x-forwarded-for": "1.2.3.4, unknown" },
      "10.1.1.1",
    ],
    ["has no port", "2001:db8::1", { "x-forwarded-for": "198.51.100.1:4711" }, "198.51.100.1"],
    ["may have an IPv6 address", "2001:db8::1", { "x-forwarded-for": "2001:db8:5::9" }, "2001:db8:5::9"],
    [
      "is not read from the Forwarded header",
      "10.1.1.1",
      { forwarded: "for=192.0.2.4", "x-forwarded-for": "1.2.3.4" },
      "1.2.3.4",
    ],
    ["is the proxy if only the Forwarded header is present", "10.1.1.1", { forwarded: "for=192.0.2.4" }, "10.1.1.1"],
  ])("%s", (_, peer, headers, client) => {
    expect(clientAt(peer, headers)).toBe(client);
  });

  test.each(["proxy.example", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "2001:db8::/129", "10.0.0.0/8,,"])(
    "rejects the network list %s",
    (text) => {
      expect(() => new TrustedProxies(text)).toThrow("must be addresses or networks such as");
    },
  );
});
