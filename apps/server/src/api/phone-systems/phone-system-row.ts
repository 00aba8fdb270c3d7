import type { PhoneSystemRules } from "@calltrack/domain";
import { listColumnNames } from "@calltrack/postgres";
import type { Selectable } from "kysely";
import type { PhoneSystemTable, StoredCredential } from "../../database/tables/schema.js";

export const PHONE_SYSTEM_COLUMN_TYPES = {
  id: "text",
  name: "text",
  kind: "text",
  account_sid: "text",
  fallback_number: "text",
  country_code: "text",
  trunk_prefix: "text",
  allowed_prefixes: "value",
  allowed_sip_hosts: "value",
  capabilities: "value",
  credentials: "value",
  is_active: "value",
  created_at: "time",
  updated_at: "time",
} as const;

export const PHONE_SYSTEM_COLUMNS = listColumnNames(PHONE_SYSTEM_COLUMN_TYPES);

export type PhoneSystemRow = Selectable<PhoneSystemTable>;

/** The columns of a phone system that can change. */
export type PhoneSystemState = Omit<PhoneSystemRow, "id" | "kind" | "account_sid" | "created_at" | "updated_at">;

/** A phone system with everything that the handlers of its webhooks need. */
export interface StoredPhoneSystem extends PhoneSystemRules {
  readonly name: string;
  readonly accountSid: string | undefined;
  readonly isActive: boolean;
  /** Encrypted, with the phone system's id as context; oldest first. */
  readonly credentials: readonly StoredCredential[];
}

/** Returns the stored capabilities for the kind `sip`, and all capabilities for a provider. */
export function getPhoneSystemCapabilities({ kind, capabilities }: Pick<PhoneSystemRow, "kind" | "capabilities">) {
  return kind === "sip" ? capabilities : (["prompt", "whisper", "recording"] as const);
}
