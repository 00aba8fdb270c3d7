import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from "node:crypto";
import type { PhoneSystemKind } from "@calltrack/domain";
import { PROVIDER_TRAITS } from "./provider-traits.js";

export interface WebhookCredential {
  readonly secret: string;
  /** Twilio's shared key for HMAC-SHA256 signatures; undefined if none is stored. */
  readonly sharedKey?: string | undefined;
}

export interface SignedRequest {
  /** The URL to which the phone system sent the request: `PUBLIC_URL` with the path and query of the request. */
  readonly url: string;
  readonly body: Uint8Array;
  readonly form: URLSearchParams;
  header(name: string): string | undefined;
}

/**
 * Why a request is not authentic. `stale`: its signature is too old. `unsupported`: its signature method is unknown, or needs a credential
 * that is not stored.
 */
export type SignatureProblem = "missing" | "wrong" | "stale" | "unsupported";

/** The maximum age of a signature. Only Telnyx's signatures contain a time. */
const MAX_AGE_SECONDS = 300;

/** Verifies that a request comes from a phone system, in constant time for a given length. Returns undefined if the request is authentic. */
export function findSignatureProblem(
  kind: PhoneSystemKind,
  credentials: readonly WebhookCredential[],
  request: SignedRequest,
  now: Date,
): SignatureProblem | undefined {
  const check = CHECKS[kind];
  const problems = credentials.map((credential) => check(credential, request, now));
  if (problems.includes(undefined)) return undefined;
  return problems[0] ?? "wrong";
}

/** Returns the headers that authenticate a request to a webhook; none for Telnyx, because only Telnyx has its private key. */
export function createAuthenticationHeaders(
  kind: PhoneSystemKind,
  { secret }: WebhookCredential,
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

type Check = (credential: WebhookCredential, request: SignedRequest, now: Date) => SignatureProblem | undefined;

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
    // Requests for SWML, which is not supported, have hexadecimal signatures.
    if (signature !== undefined && /^[\da-f]{40,}$/i.test(signature)) return "unsupported";
    return checkHmac("sha1", secret, signature, request);
  },

  telnyx({ secret }, { body, header }, now) {
    const signature = header("telnyx-signature-ed25519");
    const timestamp = header("telnyx-timestamp");
    if (signature === undefined || timestamp === undefined) return "missing";
    const key = Buffer.from(secret, "base64");
    // Ed25519 public keys have 32 bytes.
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
  // Compares the signature with every candidate, so that the time does not reveal which one matches.
  const fitting = expected.filter((each) => isEqual(signature, each));
  return fitting.length > 0 ? undefined : "wrong";
}

/**
 * Returns the candidate texts of the signed parameters, sorted by name. If a name has several values, Twilio signs the distinct values in sorted
 * order, and SignalWire signs all values in their order. A hash in the URL replaces the parameters; returns no candidate if it is wrong.
 */
function signedParameters({ url, body, form }: SignedRequest): string[] {
  const bodyHash = URL.parse(url)?.searchParams.get("bodySHA256");
  if (bodyHash) return isEqual(bodyHash, createHash("sha256").update(body).digest("hex")) ? [""] : [];
  return [joinParameters(form, (values) => [...new Set(values)].sort()), joinParameters(form, (values) => values)];
}

function joinParameters(form: URLSearchParams, arrange: (values: readonly string[]) => readonly string[]): string {
  // `getAll` would scan the whole form for each name.
  const parameters = Map.groupBy(form, ([name]) => name);
  const join = (name: string) =>
    arrange((parameters.get(name) ?? []).map(([, value]) => value)).map((value) => name + value);
  return [...parameters.keys()].sort().flatMap(join).join("");
}

/**
 * Returns the candidate forms of a signed URL: without a port, and with its own or the standard port, each with and without Twilio's retry
 * fragment. A proxy may serve a port that the URL set at the provider lacks.
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
