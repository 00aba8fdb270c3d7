import { describe, expect, test } from "vitest";
import { findSipHostProblem, findSipUriProblem, readSipUri } from "./sip-uri.js";

test.each([
  ["sip:reception@pbx.example.com", "pbx.example.com", undefined],
  ["sip:100@PBX", "pbx", undefined],
  ["sip:Anna.Meyer-2@192.0.2.1:5061;transport=TLS", "192.0.2.1", undefined],
  ["sip:+12125550100@sbc.example.com;transport=udp", "sbc.example.com", "+12125550100"],
  ["sip:a@[2001:DB8::1]:5060", "[2001:db8::1]", undefined],
])("%s has a host, and a number if its user is one", (uri, host, number) => {
  expect(readSipUri(uri)).toEqual({ host, number });
  expect(findSipUriProblem(uri)).toBeUndefined();
});

describe("an attacker's address is none:", () => {
  test.each([
    "",
    "pbx.example.com",
    "sip:pbx.example.com",
    "sip:@pbx.example.com",
    "tel:+19002345678",
    "sips:a@pbx.example.com",
    "sip:a@pbx.example.com@evil.example",
    "sip:a@evil.example?x=@pbx.example.com",
    "sip:a@pbx.example.com?Replaces=1",
    "sip:a@pbx.example.com;maddr=evil.example",
    "sip:a@pbx.example.com;transport=udp;maddr=evil.example",
    "sip:a;phone-context=+1@pbx.example.com",
    "sip:a:password@pbx.example.com",
    "sip:a%40evil.example@pbx.example.com",
    "sip:a@pbx.example.com:0",
    "sip:a@pbx.example.com:123456",
    "sip:a@pbx.example.com ",
    "sip:a@pbx.example.com\r\nRoute: <sip:evil.example>",
    "sip:a@pbx.example.com&PJSIP/b@evil.example",
    "sip:a b@pbx.example.com",
    `sip:${"a".repeat(65)}@pbx.example.com`,
    `sip:a@${"a.".repeat(127)}example`,
    "sip:a@pbx..example.com",
    "sip:a@-pbx.example.com",
    "sip:\u0430@pbx.example.com",
  ])("%j", (uri) => {
    expect(readSipUri(uri)).toBeUndefined();
    expect(findSipUriProblem(uri)).toContain("must be a SIP URI, such as sip:reception@pbx.example.com");
  });

  test.each(["19002345678", "0019002345678", "1-900-234-5678", "+1.900.234.5678", "+0123456789", "++12125550100"])(
    "a number in another format: %s",
    (user) => {
      expect(findSipUriProblem(`sip:${user}@sbc.example.com`)).toContain(
        "must contain + and the country code if the part before the @ is a phone number",
      );
    },
  );
});

test.each(["pbx", "PBX.example.com", "192.0.2.1", "[2001:db8::1]"])("%s is a host", (host) => {
  expect(findSipHostProblem(host)).toBeUndefined();
});
