import { describe, expect, test } from "vitest";
import { createWebhookUrlCheck, isPublicIpAddress } from "./public-address.js";

describe("isPublicIpAddress", () => {
  test.each([
    "8.8.8.8",
    "93.184.215.14",
    "172.15.255.255",
    "172.32.0.0",
    "100.63.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:82a::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ])("accepts %s", (address) => {
    expect(isPublicIpAddress(address)).toBe(true);
  });

  test.each([
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:168.63.129.16",
    "::ffff:0:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::a00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a9fe:a9fe::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "",
    "localhost",
    "8.8.8.8:443",
  ])("rejects %s", (address) => {
    expect(isPublicIpAddress(address)).toBe(false);
  });
});

describe("the URL of a webhook endpoint", () => {
  const rule = createWebhookUrlCheck(false);
  const lenient = createWebhookUrlCheck(true);

  test.each([
    "https://crm.example.com/calltrack",
    "https://crm.example.com:443/",
    "https://crm.example.com:8443/a?b=c&d",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
    "https://8.8.8.8/",
    "https://[2606:4700:4700::1111]/",
  ])("may be %s", (url) => {
    expect([rule(url), lenient(url)]).toEqual([undefined, undefined]);
  });

  test.each([
    ["https://127.0.0.1/", "127.0.0.1"],
    // Other spellings of 127.0.0.1 and 169.254.169.254.
    ["https://2130706433/", "127.0.0.1"],
    ["https://0x7f000001/", "127.0.0.1"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://0177.0.0.1/", "127.0.0.1"],
    ["https://127.1/", "127.0.0.1"],
    ["https://①②⑦.0.0.1/", "127.0.0.1"],
    ["https://127。0。0。1/", "127.0.0.1"],
    ["https://169.254.169.254/latest/meta-data/", "169.254.169.254"],
    ["https://2852039166/", "169.254.169.254"],
    ["https://0/", "0.0.0.0"],
    ["https://[::1]/", "::1"],
    ["https://[::ffff:127.0.0.1]/", "::ffff:7f00:1"],
    ["https://[::ffff:a9fe:a9fe]/", "::ffff:a9fe:a9fe"],
    ["https://[64:ff9b::169.254.169.254]/", "64:ff9b::a9fe:a9fe"],
    ["https://[fd00:ec2::254]/", "fd00:ec2::254"],
    ["https://10.0.0.1:8443/", "10.0.0.1"],
  ])("must not be %s", (url, address) => {
    expect(rule(url)).toBe(
      `must not lead to ${address}, which is not a public address: use a public host, or set WEBHOOKS_ALLOW_PRIVATE=on`,
    );
    expect(lenient(url)).toBeUndefined();
  });

  test.each([
    ["http://crm.example.com/", "must begin with https://"],
    ["ftp://crm.example.com/", "must begin with https://"],
    ["https://crm.example.com:80/", "must use port 443 or a port from 1024 to 65535"],
    ["https://crm.example.com:22/", "must use port 443 or a port from 1024 to 65535"],
    ["https://crm.example.com:1023/", "must use port 443 or a port from 1024 to 65535"],
    ["https://crm.example.com:0/", "must use port 443 or a port from 1024 to 65535"],
  ])("must not be %s", (url, problem) => {
    expect(rule(url)).toBe(problem);
  });

  test("may be http and have any port if private addresses are allowed", () => {
    expect(lenient("http://localhost:80/")).toBeUndefined();
    expect(lenient("ftp://localhost/")).toBe("must begin with https:// or http://");
  });

  test.each([
    [
      "https://user:secret@crm.example.com/",
      "must not contain a user name or password: requests are authenticated by their signature",
    ],
    [
      "https://user@crm.example.com/",
      "must not contain a user name or password: requests are authenticated by their signature",
    ],
    ["https://crm.example.com/#top", "must not contain a fragment: remove # and the text after it"],
    ["https://crm.example.com/#", "must not contain a fragment: remove # and the text after it"],
    ["crm.example.com", "must be a URL, such as https://crm.example.com/calltrack"],
    ["https://", "must be a URL, such as https://crm.example.com/calltrack"],
    ["", "must be a URL, such as https://crm.example.com/calltrack"],
    ["https://crm.example.com/ x", "must be a URL, such as https://crm.example.com/calltrack"],
    ["https://crm.example.com/\n", "must be a URL, such as https://crm.example.com/calltrack"],
    ["https://crm.example.com:99999/", "must be a URL, such as https://crm.example.com/calltrack"],
    [`https://crm.example.com/${"x".repeat(2000)}`, "must be at most 2000 characters long"],
  ])("must never be %s", (url, problem) => {
    expect([rule(url), lenient(url)]).toEqual([problem, problem]);
  });
});
