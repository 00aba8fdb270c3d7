import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { PhoneSystemKind as KindName } from "@calltrack/domain";
import {
  type PhoneSystem,
  PhoneSystemCapability,
  PhoneSystemKind,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { formatEtag } from "../../database/etag.js";
import { createStoredEnum } from "../../database/stored-enum.js";
import { toTimestamp } from "../../database/timestamp.js";
import type { SecretBox } from "../../secrets/secret-box.js";
import { getPhoneSystemCapabilities, type PhoneSystemRow } from "./phone-system-row.js";

const KINDS = createStoredEnum(PhoneSystemKind);
const CAPABILITIES = createStoredEnum(PhoneSystemCapability);

/** The settings of the server that affect how responses and events show a phone system. */
export interface PhoneSystemContext {
  /** Undefined if the server has no key to decrypt credentials. */
  readonly secrets: SecretBox | undefined;
  readonly publicUrl: string | undefined;
  /**
   * Returns the document that a provider runs if Calltrack fails. The document connects the call to the fallback number. Empty for kinds without such
   * a document.
   */
  writeFallbackDocument(kind: KindName, fallbackNumber: string): string;
}

/** Converts a row to a message without secrets. */
export function toPhoneSystemMessage(
  row: PhoneSystemRow,
  { secrets, publicUrl, writeFallbackDocument }: PhoneSystemContext,
): PhoneSystem {
  const urlOf = (page: string) => (publicUrl === undefined ? "" : `${publicUrl}/telephony/${row.id}/${page}`);
  return {
    $typeName: "calltracking.v1.PhoneSystem",
    id: row.id,
    name: row.name,
    kind: KINDS[row.kind],
    accountSid: row.account_sid ?? undefined,
    fallbackNumber: row.fallback_number,
    countryCode: row.country_code ?? undefined,
    trunkPrefix: row.trunk_prefix ?? undefined,
    allowedPrefixes: [...row.allowed_prefixes],
    allowedSipHosts: [...row.allowed_sip_hosts],
    capabilities: getPhoneSystemCapabilities(row).map((name) => CAPABILITIES[name]),
    isActive: row.is_active,
    credentials: row.credentials.map(({ secret, createdAt, expiresAt }) => ({
      $typeName: "calltracking.v1.PhoneSystemCredential",
      createdAt: timestampFromDate(new Date(createdAt)),
      expiresAt: expiresAt === undefined ? undefined : timestampFromDate(new Date(expiresAt)),
      isReadable: secrets?.decrypt(secret, row.id) !== undefined,
    })),
    voiceUrl: urlOf("voice"),
    statusUrl: urlOf("status"),
    fallbackDocument: writeFallbackDocument(row.kind, row.fallback_number),
    createdAt: toTimestamp(row.created_at),
    updatedAt: toTimestamp(row.updated_at),
    etag: formatEtag(row.updated_at),
  };
}
