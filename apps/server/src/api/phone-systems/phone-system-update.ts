import { type PhoneSystemUpdate, requireValidPhoneSystemUpdate } from "@calltrack/domain";
import type { PhoneSystemRow, PhoneSystemState } from "./phone-system-row.js";

/**
 * Returns the state of a phone system after an update.
 *
 * @throws DomainError `FIELD_INVALID` if the kind or state of the phone system forbids the update
 */
export function applyPhoneSystemUpdate(before: PhoneSystemRow, change: PhoneSystemUpdate): PhoneSystemState {
  const { kind, country_code: countryCode, trunk_prefix: trunkPrefix } = before;
  requireValidPhoneSystemUpdate(
    { kind, countryCode: countryCode ?? undefined, trunkPrefix: trunkPrefix ?? undefined },
    change,
  );
  return {
    ...before,
    name: change.name ?? before.name,
    fallback_number: change.fallbackNumber ?? before.fallback_number,
    // An empty string removes the value.
    country_code: (change.countryCode ?? countryCode) || null,
    trunk_prefix: (change.trunkPrefix ?? trunkPrefix) || null,
    allowed_prefixes: change.allowedPrefixes ?? before.allowed_prefixes,
    allowed_sip_hosts: change.allowedSipHosts ?? before.allowed_sip_hosts,
    capabilities: change.capabilities ?? before.capabilities,
    is_active: change.isActive ?? before.is_active,
  };
}
