import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { PhoneSystemKind } from "@calltrack/domain";
import { PROVIDER_TRAITS } from "./provider-traits.js";

/** The secrets that a request may be signed with. */
export interface Credential {
  readonly secret: string;
  /** Twilio's shared key. */
  readonly sharedKey?: string | undefined;
}

/** A request to verify. */
export interface SignedRequest {
  /** The URL that the phone system called: `PUBLIC_URL` with the path and query of the request. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly form: URLSearchParams;
  header(name: string): string | undefined;
}

/**
 * Why a request is not authentic. `stale`: its signature is too old. `unsupported`: it is signed in a way that needs a credential which is
 * not stored, or that this service does not know.
 */
export type SignatureProblem = "missing" | "wrong" | "stale" | "unsupported";

/** Max age of Telnyx' signatures, which are the only ones with a time. */
const MAX_AGE_SECONDS = 300;

/** Verifies that a request is from a phone system, in constant time for a given length. Returns undefined if it is. */
export function findSignatureProblem(
  kind: PhoneSystemKind,
  credentials: readonly Credential[],
  request: SignedRequest,
  now: Date,
): SignatureProblem | undefined {
  const check = CHECKS[kind];
  const problems = credentials.map((credential) => check(credential, request, now));
  if (problems.includes(undefined)) return undefined;
  return problems[0] ?? "wrong";
}

/**
 * Returns the headers that authenticate a request of a phone system; none for Telnyx, whose private key only Telnyx has.
 *
 * @param url the URL that is called.
 */
export function signRequest(
  kind: PhoneSystemKind,
  { secret }: Credential,
  url: string,
  form: URLSearchParams,
): Readonly<Record<string, string>> {
  if (kind === "telnyx") return {};
  if (kind === "sip") return { authorization: `Bearer ${secret}` };
  const signature = createHmac("sha1", secret)
    .update(url + joinParameters(form, (values) => values))
    .digest("base64");
  return { [`x-${kind}-signature`]: signature };
}

type Check = (credential: Credential, request: SignedRequest, now: Date) => SignatureProblem | undefined;

const CHECKS: Readonly<Record<PhoneSystemKind, Check>> = {
  twilio({ secret, sharedKey }, request) {
    const signature = request.header("x-twilio-signature");
    const settings = request.header("x-twilio-webhooks-signature-settings");
    if (settings === undefined) return checkHmac("sha1", secret, signature, request);
    const isKnown = /(?:^|[,;]) *algorithm=HMAC_SHA256 *(?:[,;]|$)/.test(settings);
    if (!isKnown || sharedKey === undefined) return "unsupported";
    return checkHmac("sha256", sharedKey, signature, request);
  },

  signalwire({ secret }, request) {
    const signature = request.header("x-signalwire-signature") ?? request.header("x-twilio-signature");
    // SWML's webhooks, which this service does not know, have hexadecimal signatures.
    if (signature !== undefined && /^[\da-f]{40,}$/i.test(signature)) return "unsupported";
    return checkHmac("sha1", secret, signature, request);
  },

  telnyx({ secret }, { body, header }, now) {
    const signature = header("telnyx-signature-ed25519");
    const timestamp = header("telnyx-timestamp");
    if (signature === undefined || timestamp === undefined) return "missing";
    const key = Buffer.from(secret, "base64");
    // A key of another length is none.
    if (key.length !== 32) return "wrong";
    const publicKey = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") },
      format: "jwk",
    });
    const payload = Buffer.concat([Buffer.from(`${timestamp}|`), body]);
    if (!verify(null, payload, publicKey, Buffer.from(signature, "base64"))) return "wrong";
    return Math.abs(now.getTime() / 1000 - Number(timestamp)) <= MAX_AGE_SECONDS ? undefined : "stale";
  },

  sip({ secret }, { header }) {
    const [, token] = /^Bearer +(\S+)$/i.exec(header("authorization") ?? "") ?? [];
    if (token === undefined) return "missing";
    return isEqual(token, secret) ? undefined : "wrong";
  },
};

function checkHmac(
  algorithm: "sha1" | "sha256",
  key: string,
  signature: string | undefined,
  request: SignedRequest,
): SignatureProblem | undefined {
  if (signature === undefined) return "missing";
  const parameters = signedParameters(request);
  const expected = signedUrls(request.url).flatMap((url) =>
    parameters.map((each) =>
      createHmac(algorithm, key)
        .update(url + each)
        .digest("base64"),
    ),
  );
  // Compares with each of them, so that the time does not tell which one fits.
  const fitting = expected.filter((each) => isEqual(signature, each));
  return fitting.length > 0 ? undefined : "wrong";
}

/**
 * Returns the parameters as they may be signed, sorted by name: of several values of a name, Twilio signs each one once and sorted,
 * SignalWire all in their order. A hash in the URL covers the body instead; none if it is another body's.
 */
function signedParameters({ url, body, form }: SignedRequest): string[] {
  const bodyHash = URL.parse(url)?.searchParams.get("bodySHA256");
  if (bodyHash) return isEqual(bodyHash, createHash("sha256").update(body).digest("hex")) ? [""] : [];
  return [joinParameters(form, (values) => [...new Set(values)].sort()), joinParameters(form, (values) => values)];
}

/** Joins the names and values of a form, in the order of the names. */
function joinParameters(form: URLSearchParams, arrange: (values: readonly string[]) => readonly string[]): string {
  // `getAll` would read the whole form for each name.
  const parameters = Map.groupBy(form, ([name]) => name);
  const join = (name: string) =>
    arrange((parameters.get(name) ?? []).map(([, value]) => value)).map((value) => name + value);
  return [...parameters.keys()].sort().flatMap(join).join("");
}

/**
 * Returns a URL as it may be signed: with and without its port or the standard one, and with and without the fragment of the settings.
 * A proxy may serve a port that the URL at the provider does not name.
 */
function signedUrls(url: string): string[] {
  const [, origin = "", port = "", rest = ""] = /^(https?:\/\/(?:\[[^\]]*\]|[^:/?#]*))(:\d+)?(.*)$/is.exec(url) ?? [];
  const standardPort = /^https:/i.test(origin) ? ":443" : ":80";
  const fragments = ["", PROVIDER_TRAITS.twilio.retryFragment];
  return ["", port || standardPort].flatMap((each) => fragments.map((fragment) => origin + each + rest + fragment));
}

function isEqual(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
