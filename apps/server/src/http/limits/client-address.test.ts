import { describe, expect, test } from "vitest";
import { parseTrustedProxies } from "../../config/trusted-proxies.js";
import { resolveClientAddress, toClientNetwork } from "./client-address.js";

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["::ffff:203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8:1:2::6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1", "fe80:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["", ""],
])("counts %j as %j", (address, network) => {
  expect(toClientNetwork(address)).toBe(network);
});

describe("the client behind the proxies 10.0.0.0/8 and 2001:db8::1", () => {
  const isTrusted = parseTrustedProxies("10.0.0.0/8, 2001:db8::1") ?? (() => false);

  test.each([
    ["is the peer if the peer is not a proxy", "203.0.113.7", "1.2.3.4", "203.0.113.7"],
    ["is the proxy without x-forwarded-for", "10.1.1.1", undefined, "10.1.1.1"],
    ["is the proxy if x-forwarded-for is empty", "10.1.1.1", "", "10.1.1.1"],
    ["is the last address that is not a proxy", "::ffff:10.1.1.1", "6.6.6.6, 198.51.100.1, 10.2.2.2", "198.51.100.1"],
    ["is the first address if all are proxies", "10.1.1.1", "10.9.9.9, 10.2.2.2", "10.9.9.9"],
    ["is the proxy that forwards an invalid address", "10.1.1.1", "1.2.3.4, unknown", "10.1.1.1"],
    ["is the proxy that forwards an abbreviated address", "10.1.1.1", "1.2.3.4, 10.2", "10.1.1.1"],
    ["has no port", "2001:db8::1", "198.51.100.1:4711", "198.51.100.1"],
    ["may have an IPv6 address", "2001:db8::1", "2001:db8:5::9", "2001:db8:5::9"],
    ["has no brackets around an IPv6 address", "10.1.1.1", "[2001:db8:5::9]:4711", "2001:db8:5::9"],
    ["has no address once the connection is closed", "", "1.2.3.4", ""],
  ])("%s", (_, peer, forwardedFor, client) => {
    expect(resolveClientAddress(isTrusted, peer, forwardedFor)).toBe(client);
  });
});
