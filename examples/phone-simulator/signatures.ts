import { createHmac, type KeyObject, sign } from "node:crypto";

export type PhoneProvider = "twilio" | "signalwire" | "telnyx";

/** The key with which a provider signs requests: a token, or the private Ed25519 key of Telnyx. */
export type SigningSecret = string | KeyObject;

/** Returns the headers that authenticate a posted form, as the provider's documentation specifies. */
export function createSignatureHeaders(
  provider: PhoneProvider,
  secret: SigningSecret,
  url: string,
  form: URLSearchParams,
): Record<string, string> {
  if (provider === "telnyx") return telnyxHeaders(secret as KeyObject, form.toString());
  const names = [...new Set(form.keys())].sort();
  // A provider signs the URL without its fragment, which contains settings for the provider.
  const signed = url.split("#", 1)[0] + names.map((name) => name + form.getAll(name).join("")).join("");
  const signature = createHmac("sha1", secret as string)
    .update(signed)
    .digest("base64");
  return { [provider === "twilio" ? "x-twilio-signature" : "x-signalwire-signature"]: signature };
}

function telnyxHeaders(key: KeyObject, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), key).toString("base64");
  return { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp };
}
