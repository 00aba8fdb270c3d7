import { DomainError, type PhoneSystemKind, requireSecretFormats } from "@calltrack/domain";
import { generateApiKey } from "../../access/api-key-format.js";
import type { StoredCredential } from "../../database/tables/schema.js";
import type { SecretBox } from "../../secrets/secret-box.js";
import type { StoredPhoneSystem } from "./phone-system-row.js";

/** The maximum number of credentials, so that verifying a request stays cheap. Beyond it, the oldest credentials are deleted. */
const MAX_CREDENTIALS = 10;

/**
 * Makes an encrypted credential for a phone system: from the given secrets of a provider, or from a new API key for the kind `sip`.
 *
 * @returns the credential, and the API key for the response. The key is not stored; it is undefined for providers.
 * @throws DomainError `SECRETS_KEY_MISSING`, or `FIELD_INVALID` if the kind needs other secrets
 */
export function issuePhoneSystemCredential(
  secrets: SecretBox | undefined,
  { id, kind }: { readonly id: string; readonly kind: PhoneSystemKind },
  given: Parameters<typeof requireSecretFormats>[1],
  now: Date,
) {
  requireSecretFormats(kind, given);
  const { secret, sharedKey } = given;
  if (secrets === undefined) throw new DomainError("SECRETS_KEY_MISSING", {});
  const apiKey = kind === "sip" ? generateApiKey().key : undefined;
  const credential: StoredCredential = {
    secret: secrets.encrypt((apiKey ?? secret) as string, id),
    ...(sharedKey !== undefined && { sharedKey: secrets.encrypt(sharedKey, id) }),
    createdAt: now.toISOString(),
  };
  return { credential, apiKey };
}

/** Returns the credentials after a rotation: earlier credentials expire after the overlap, and expired credentials are removed. */
export function rotateCredentials(
  before: readonly StoredCredential[],
  added: StoredCredential,
  overlapSeconds: number,
  now: Date,
): readonly StoredCredential[] {
  const end = new Date(now.getTime() + overlapSeconds * 1000).toISOString();
  const kept = before
    .map((credential) => ({ ...credential, expiresAt: earlierOf(credential.expiresAt ?? end, end) }))
    .filter(({ expiresAt }) => expiresAt > now.toISOString());
  return [...kept, added].slice(-MAX_CREDENTIALS);
}

export interface PhoneSystemSecrets {
  readonly secret: string;
  readonly sharedKey: string | undefined;
}

/** Decrypts the credentials that have not expired, newest first. Leaves out credentials that the server has no key for. */
export function decryptPhoneSystemSecrets(
  secrets: SecretBox | undefined,
  { id, credentials }: Pick<StoredPhoneSystem, "id" | "credentials">,
  now: Date,
): PhoneSystemSecrets[] {
  return credentials.toReversed().flatMap(({ secret: ciphertext, sharedKey, expiresAt }) => {
    const secret = secrets?.decrypt(ciphertext, id);
    const isExpired = expiresAt !== undefined && expiresAt <= now.toISOString();
    if (secret === undefined || isExpired) return [];
    return [{ secret, sharedKey: sharedKey && secrets?.decrypt(sharedKey, id) }];
  });
}

function earlierOf(one: string, other: string): string {
  return one < other ? one : other;
}
