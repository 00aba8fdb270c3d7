import { createHmac } from "node:crypto";

/** How the secrets of webhook endpoints begin; base64 follows. */
const SECRET_PREFIX = "whsec_";

/**
 * Returns the headers that authenticate a request to a webhook endpoint, by Standard Webhooks 1.0: its id, its time, and a signature by
 * each secret.
 *
 * @param id the id of the event, the same in every attempt.
 * @param body the bytes that are sent, as text.
 * @param secrets `whsec_` and base64 each.
 */
export function signWebhook(
  id: string,
  time: Date,
  body: string,
  secrets: readonly string[],
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const timestamp = String(Math.floor(time.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
