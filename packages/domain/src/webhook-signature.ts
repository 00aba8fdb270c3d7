import { createHmac } from "node:crypto";

/** The prefix of a webhook endpoint's secret. The rest of the secret is base64. */
const SECRET_PREFIX = "whsec_";

/**
 * Returns the headers that authenticate a request to a webhook endpoint (Standard Webhooks 1.0): the event's id, the time, and one signature
 * for each secret.
 *
 * @param id the id of the event, which is the same in every attempt to send the event.
 * @param time the time at which the request is sent.
 * @param body the body of the request, as text.
 * @param secrets the secrets to sign with, each of which is `whsec_`, followed by base64.
 */
export function signWebhookRequest(
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
