import { createHmac, randomBytes } from "node:crypto";
import type { ApiClient, RequestFields } from "./api-client.js";
import { uniqueNumber } from "./request-fields.js";

/** The URL that phone systems in tests call. As behind a proxy, its scheme, host and port differ from those of the server. */
export const PUBLIC_URL = "https://calls.example";

export type Form = Readonly<Record<string, string>>;

export interface WebhookAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly cacheControl: string | null;
  readonly text: string;
}

/** Intentional differences between a test's webhook request and a valid request. */
export interface Deviation {
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
  /** The URL that is signed instead of the one that is called. */
  readonly signedUrl?: string;
  /** The form that is signed instead of the one that is sent. */
  readonly signedForm?: Form;
}

/** A phone system that calls the webhooks of a server. */
export interface PhoneSystemClient {
  readonly id: string;
  readonly fallbackNumber: string;
  /**
   * Sends a form with the credential of the phone system.
   *
   * @param target a webhook such as `voice`, or a URL from an earlier webhook response.
   * @param server the URL of the server. Default: the server on which the phone system was created.
   */
  send(target: string, form: Form, deviation?: Deviation, server?: string): Promise<WebhookAnswer>;
}

/** Creates a phone system of the kind `twilio`, and a client that acts as it. */
export async function newTwilio(
  api: ApiClient,
  server: string,
  fields: RequestFields = {},
): Promise<PhoneSystemClient> {
  const fallbackNumber = uniqueNumber();
  const { account_sid = `AC${hex()}`, secret = hex() } = fields as Record<string, string>;
  const own = { kind: "twilio", name: "Twilio", account_sid, secret, fallback_number: fallbackNumber };
  const { phone_system } = await api.createPhoneSystem({ ...own, ...fields });
  return createTwilioClient(phone_system.id, { server, fallbackNumber, account_sid, secret });
}

/** Creates a client that acts as a phone system of the kind `twilio`. */
export function createTwilioClient(
  id: string,
  parts: { server: string; fallbackNumber: string; account_sid: string; secret: string },
): PhoneSystemClient {
  return {
    ...{ id, fallbackNumber: parts.fallbackNumber },
    send(target, fields, { headers, token = parts.secret, signedUrl, signedForm } = {}, server = parts.server) {
      const [url = ""] = urlOf(id, target).split("#");
      const form = { AccountSid: parts.account_sid, UnknownField: "1", ...fields };
      const signed = Object.entries<string>({ ...form, ...signedForm }).sort(([a], [b]) => (a < b ? -1 : 1));
      const parameters = signed.flat().join("");
      const signature = createHmac("sha1", token)
        .update((signedUrl ?? url) + parameters)
        .digest("base64");
      return post(server + url.slice(PUBLIC_URL.length), form, { "x-twilio-signature": signature, ...headers });
    },
  };
}

/** Creates a phone system of the kind `sip`, and a client that acts as it. */
export async function newPbx(api: ApiClient, server: string, fields: RequestFields = {}): Promise<PhoneSystemClient> {
  const fallbackNumber = uniqueNumber();
  const capabilities = ["prompt", "whisper", "recording"];
  const own = { kind: "sip", name: "PBX", fallback_number: fallbackNumber, capabilities };
  const { phone_system, api_key } = await api.createPhoneSystem({ ...own, ...fields });
  const { id } = phone_system;
  return {
    ...{ id, fallbackNumber },
    send: (target, form, { headers, token = api_key } = {}, to = server) =>
      post(to + urlOf(id, target).slice(PUBLIC_URL.length), form, { authorization: `Bearer ${token}`, ...headers }),
  };
}

/** Returns the values of an XML attribute in a document, such as the URLs in a webhook response. */
export function listAttributeValues(text: string, name: string): string[] {
  return Array.from(text.matchAll(new RegExp(` ${name}="([^"]*)"`, "g")), ([, value = ""]) =>
    value.replaceAll("&amp;", "&"),
  );
}

/** Returns 32 random hexadecimal digits, the form of Twilio's secrets. */
function hex(): string {
  return randomBytes(16).toString("hex");
}

function urlOf(id: string, target: string): string {
  return target.startsWith("https:") ? target : `${PUBLIC_URL}/telephony/${id}/${target}`;
}

async function post(url: string, form: Form, headers: Readonly<Record<string, string>>): Promise<WebhookAnswer> {
  const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(form), redirect: "manual" });
  const [type, cacheControl] = ["content-type", "cache-control"].map((name) => response.headers.get(name)) as [
    string | null,
    string | null,
  ];
  return { status: response.status, type, cacheControl, text: await response.text() };
}
