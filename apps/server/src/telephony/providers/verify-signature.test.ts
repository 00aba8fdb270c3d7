import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
// @ts-expect-error: The package has types, but does not export them.
import { RestClient } from "@signalwire/compatibility-api";
import { TelnyxWebhook } from "telnyx/lib/webhooks";
import twilio from "twilio";
import { describe, expect, test } from "vitest";
import {
  PROVIDER_REQUESTS,
  signLikeSignalWire,
  signLikeTelnyx,
  signLikeTwilio,
} from "../../testing/provider-requests.js";
import { findSignatureProblem, type SignatureProblem } from "./verify-signature.js";

type Kind = Parameters<typeof findSignatureProblem>[0];
type Form = Readonly<Record<string, string | string[]>>;
type Headers = Readonly<Record<string, string>>;

const URL_OF_CALL =
  "https://calls.example.com/telephony/019aa360-2b3c-7d4e-9f50-617283940a1b/status?call=1&step=original";
const TOKEN = "0123456789abcdef0123456789abcdef";
const NOW = new Date("2026-11-26T10:00:51.400Z");

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const PUBLIC_KEY = Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url").toString("base64");

function encode(form: Form): string {
  const encoded = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) for (const each of [value].flat()) encoded.append(name, each);
  return encoded.toString();
}

function check(
  kind: Kind,
  secrets: string | Parameters<typeof findSignatureProblem>[1],
  request: { url?: string; form?: Form; body?: string; headers: Headers; now?: Date },
): SignatureProblem | undefined {
  const { url = URL_OF_CALL, form = {}, body = encode(form), headers, now = NOW } = request;
  const credentials = typeof secrets === "string" ? [{ secret: secrets }] : secrets;
  const parsed = { url, body: Buffer.from(body), form: new URLSearchParams(body) };
  return findSignatureProblem(kind, credentials, { ...parsed, header: (name) => headers[name] }, now);
}

const SIGNERS: Readonly<Record<"twilio" | "signalwire" | "telnyx", { secret: string; sign: (form: Form) => Headers }>> =
  {
    twilio: { secret: TOKEN, sign: (form) => signLikeTwilio(TOKEN, URL_OF_CALL, form) },
    signalwire: { secret: TOKEN, sign: (form) => signLikeSignalWire(TOKEN, URL_OF_CALL, form) },
    telnyx: { secret: PUBLIC_KEY, sign: (form) => signLikeTelnyx(privateKey, encode(form), NOW) },
  };

describe.each(["twilio", "signalwire", "telnyx"] as const)("%s", (kind) => {
  const { secret, sign } = SIGNERS[kind];

  test.each(Object.entries(PROVIDER_REQUESTS[kind]))("a signed request: %s", (_, form) => {
    expect(check(kind, secret, { form, headers: sign(form) })).toBeUndefined();
  });

  const form = PROVIDER_REQUESTS[kind].dial;

  test("one of several credentials fits", () => {
    const other = generateKeyPairSync("ed25519").publicKey.export({ format: "jwk" }).x as string;
    const secrets = [{ secret: kind === "telnyx" ? other : "other" }, { secret }];
    expect(check(kind, secrets, { form, headers: sign(form) })).toBeUndefined();
    expect(check(kind, secrets.slice(0, 1), { form, headers: sign(form) })).toBe("wrong");
    expect(check(kind, [], { form, headers: sign(form) })).toBe("wrong");
  });

  test("a changed field, a missing and a malformed signature", () => {
    expect(check(kind, secret, { form: { ...form, DialCallStatus: "busy" }, headers: sign(form) })).toBe("wrong");
    expect(check(kind, secret, { form, headers: {} })).toBe("missing");
    for (const signature of ["", "x", "é", "A".repeat(100_000), `${Object.values(sign(form))[0]} `]) {
      const headers = Object.fromEntries(Object.entries(sign(form)).map(([name]) => [name, signature]));
      expect(check(kind, secret, { form, headers })).toBeDefined();
    }
  });

  test("stored credentials that are none", () => {
    for (const none of ["", "short", "%", "A".repeat(1000)]) {
      expect(check(kind, none, { form, headers: sign(form) })).toBe("wrong");
    }
  });
});

describe("Twilio and SignalWire", () => {
  test("the vector of Twilio's documentation", () => {
    const form = {
      CallSid: "CA1234567890ABCDE",
      Caller: "+14158675309",
      Digits: "1234",
      From: "+14158675309",
      To: "+18005551212",
    };
    const request = { url: "https://mycompany.com/myapp.php?foo=1&bar=2", form };
    const headers = { "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=" };
    expect(check("twilio", "12345", { ...request, headers })).toBeUndefined();
    expect(check("signalwire", "12345", { ...request, headers })).toBeUndefined();
    expect(check("twilio", "12346", { ...request, headers })).toBe("wrong");
    expect(check("twilio", "12345", { ...request, url: request.url.replace("foo=1", "foo=2"), headers })).toBe("wrong");
  });

  // The signed URL, the requested URL, and whether the signature is valid. The packages of the providers give the same results.
  test.each<[string, string, boolean]>([
    ["https://example.com/a?b=1", "https://example.com/a?b=1", true],
    ["https://example.com:443/a?b=1", "https://example.com/a?b=1", true],
    ["https://example.com/a?b=1", "https://example.com:443/a?b=1", true],
    ["http://example.com:80/a", "http://example.com/a", true],
    ["https://example.com/a", "https://example.com:8443/a", true],
    ["https://example.com:8443/a", "https://example.com:8443/a", true],
    ["https://example.com:443/a", "https://example.com:8443/a", false],
    ["https://example.com:8444/a", "https://example.com:8443/a", false],
    ["https://Example.com/a:443/b", "https://Example.com/a:443/b", true],
    ["https://[2001:db8::1]/a", "https://[2001:db8::1]/a", true],
    ["http://example.com/a", "https://example.com/a", false],
    ["https://example.com/a", "https://example.com/b", false],
    ["https://example.com/a?b=%2B1", "https://example.com/a?b=%2B1", true],
  ])("signed %s, requested %s", (signed, url, isEqual) => {
    const form = { CallSid: "CA1" };
    const headers = signLikeTwilio(TOKEN, signed, form);
    const expected = isEqual ? undefined : "wrong";
    expect(check("twilio", TOKEN, { url, form, headers })).toBe(expected);
    expect(twilio.validateRequest(TOKEN, headers["x-twilio-signature"], url, form)).toBe(isEqual);
  });

  test("the fragment with Twilio's settings of retries, signed or not", () => {
    const form = { CallSid: "CA1" };
    for (const fragment of ["", "#rc=3&rp=ct,rt,5xx"]) {
      const headers = signLikeTwilio(TOKEN, URL_OF_CALL + fragment, form);
      expect(check("twilio", TOKEN, { form, headers })).toBeUndefined();
    }
    expect(check("twilio", TOKEN, { form, headers: signLikeTwilio(TOKEN, `${URL_OF_CALL}#rc=9`, form) })).toBe("wrong");
  });

  test.each([[["b", "a", "b"]], [["1", "1"]], [["", "x"]]])("several values of one name: %j", (values) => {
    const form = { CallSid: "CA1", Media: values };
    expect(check("twilio", TOKEN, { form, headers: signLikeTwilio(TOKEN, URL_OF_CALL, form) })).toBeUndefined();
    const headers = signLikeSignalWire(TOKEN, URL_OF_CALL, form);
    expect(check("signalwire", TOKEN, { form, headers })).toBeUndefined();
    expect(RestClient.validateRequest(TOKEN, headers["x-signalwire-signature"], URL_OF_CALL, form)).toBe(true);
  });

  test("a body whose hash is in the URL", () => {
    const body = '{"CallSid":"CA1"}';
    const url = `https://example.com/a?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
    const headers = signLikeTwilio(TOKEN, url, {});
    expect(twilio.validateRequestWithBody(TOKEN, headers["x-twilio-signature"], url, body)).toBe(true);
    expect(check("twilio", TOKEN, { url, body, headers })).toBeUndefined();
    expect(check("twilio", TOKEN, { url, body: `${body} `, headers })).toBe("wrong");
  });

  test("Twilio's shared keys", () => {
    const form = { CallSid: "CA1", To: "+12223334444" };
    const signed = `${URL_OF_CALL}CallSidCA1To+12223334444`;
    const signature = createHmac("sha256", "shared").update(signed).digest("base64");
    const settings = (algorithm: string) => ({
      "x-twilio-signature": signature,
      "x-twilio-webhooks-signature-settings": `key=SK1,algorithm=${algorithm}`,
    });
    const secrets = [{ secret: TOKEN, sharedKey: "shared" }];
    expect(check("twilio", secrets, { form, headers: settings("HMAC_SHA256") })).toBeUndefined();
    expect(check("twilio", secrets, { form, headers: settings("HMAC_SHA512") })).toBe("unsupported");
    expect(check("twilio", TOKEN, { form, headers: settings("HMAC_SHA256") })).toBe("unsupported");
    const wrong = [{ secret: TOKEN, sharedKey: "other" }];
    expect(check("twilio", wrong, { form, headers: settings("HMAC_SHA256") })).toBe("wrong");
    // The auth token does not sign requests that name a shared key.
    const byToken = { ...settings("HMAC_SHA256"), ...signLikeTwilio(TOKEN, URL_OF_CALL, form) };
    expect(check("twilio", secrets, { form, headers: byToken })).toBe("wrong");
  });

  test("SignalWire signs in Twilio's header, too, and SWML in hexadecimal digits", () => {
    const form = { CallSid: "1" };
    expect(check("signalwire", TOKEN, { form, headers: signLikeTwilio(TOKEN, URL_OF_CALL, form) })).toBeUndefined();
    const hex = createHmac("sha1", TOKEN).update(URL_OF_CALL).digest("hex");
    expect(check("signalwire", TOKEN, { form, headers: { "x-signalwire-signature": hex } })).toBe("unsupported");
  });
});

test.each(Object.entries(PROVIDER_REQUESTS.signalwire))(
  "SignalWire's package accepts what is accepted: %s",
  (_, form) => {
    const signature = signLikeSignalWire(TOKEN, URL_OF_CALL, form)["x-signalwire-signature"];
    expect(RestClient.validateRequest(TOKEN, signature, URL_OF_CALL, form)).toBe(true);
  },
);

describe("Telnyx", () => {
  const body = encode(PROVIDER_REQUESTS.telnyx.voice);

  test("its package accepts what is accepted here", async () => {
    const now = new Date();
    const headers = signLikeTelnyx(privateKey, body, now);
    await expect(new TelnyxWebhook(PUBLIC_KEY).verify(body, headers)).resolves.toBeUndefined();
    expect(check("telnyx", PUBLIC_KEY, { body, headers, now })).toBeUndefined();
    await expect(new TelnyxWebhook(PUBLIC_KEY).verify(`${body}&A=1`, headers)).rejects.toThrow();
    expect(check("telnyx", PUBLIC_KEY, { body: `${body}&A=1`, headers, now })).toBe("wrong");
  });

  test.each([
    [0, undefined],
    [300, undefined],
    [-300, undefined],
    [302, "stale"],
    [-302, "stale"],
  ])("a signature that is %i seconds old", (seconds, problem) => {
    const headers = signLikeTelnyx(privateKey, body, new Date(NOW.getTime() - seconds * 1000 - 400));
    expect(check("telnyx", PUBLIC_KEY, { body, headers, now: new Date(NOW.getTime() - 400) })).toBe(problem);
  });

  test("a changed or malformed time", () => {
    const headers = signLikeTelnyx(privateKey, body, NOW);
    for (const timestamp of ["1", "x", "", "1e400", String(Number(headers["telnyx-timestamp"]) + 1)]) {
      expect(check("telnyx", PUBLIC_KEY, { body, headers: { ...headers, "telnyx-timestamp": timestamp } })).toBe(
        "wrong",
      );
    }
    const { "telnyx-timestamp": _, ...withoutTime } = headers;
    expect(check("telnyx", PUBLIC_KEY, { body, headers: withoutTime })).toBe("missing");
  });
});

test("an operator's own phone system sends its API key", () => {
  const key = "ct_0123456789";
  expect(check("sip", key, { headers: { authorization: `Bearer ${key}` } })).toBeUndefined();
  expect(check("sip", key, { headers: { authorization: `bearer  ${key}` } })).toBeUndefined();
  expect(check("sip", key, { headers: { authorization: `Bearer ${key}4` } })).toBe("wrong");
  expect(check("sip", key, { headers: { authorization: `Basic ${key}` } })).toBe("missing");
  expect(check("sip", key, { headers: {} })).toBe("missing");
});
