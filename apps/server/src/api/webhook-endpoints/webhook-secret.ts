import { randomBytes } from "node:crypto";
import { DomainError } from "@calltrack/domain";
import type { StoredCredential } from "../../database/tables/schema.js";
import type { SecretBox } from "../../secrets/secret-box.js";

/** Standard Webhooks 1.0 requires secrets of 24 to 64 bytes. */
const SECRET_BYTES = 32;

/**
 * Generates a secret for a webhook endpoint, in the format of Standard Webhooks 1.0.
 *
 * @returns the plain secret for the response, and the encrypted secret for the database. The plain secret is not stored.
 * @throws DomainError `SECRETS_KEY_MISSING`
 */
export function issueWebhookSecret(
  secrets: SecretBox | undefined,
  endpointId: string,
): { readonly secret: string; readonly stored: StoredCredential } {
  if (secrets === undefined) throw new DomainError("SECRETS_KEY_MISSING", {});
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  return { secret, stored: { secret: secrets.encrypt(secret, endpointId), createdAt: new Date().toISOString() } };
}
