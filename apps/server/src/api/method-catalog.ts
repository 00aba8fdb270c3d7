import type { DescMethod } from "@bufbuild/protobuf";
import { API_SERVICES } from "@calltrack/domain";
import type { MethodAccess } from "../access/method-access.js";
import { INFRASTRUCTURE_SERVICES } from "../observability/grpc-services/infrastructure-services.js";
import { ACCOUNT_METHODS } from "./accounts/account-methods.js";
import { API_KEY_METHODS } from "./api-keys/api-key-methods.js";
import { AUDIT_METHODS } from "./audit/audit-methods.js";
import { CALL_FLOW_METHODS } from "./call-flows/call-flow-methods.js";
import { CALL_TRACKER_METHODS } from "./call-trackers/call-tracker-methods.js";
import { CALLER_METHODS } from "./callers/caller-methods.js";
import { CALL_METHODS } from "./calls/call-methods.js";
import { CLOCK_METHODS } from "./clock/clock-methods.js";
import { DNI_METHODS } from "./dni/dni-methods.js";
import { EVENT_METHODS } from "./events/event-methods.js";
import { INVENTORY_METHODS } from "./inventory/inventory-methods.js";
import type { MethodRow } from "./methods/method-row.js";
import { PHONE_NUMBER_METHODS } from "./phone-numbers/phone-number-methods.js";
import { PHONE_SYSTEM_METHODS } from "./phone-systems/phone-system-methods.js";
import { POOL_METHODS } from "./pools/pool-methods.js";
import { TRAFFIC_METHODS } from "./traffic/traffic-methods.js";
import { WEBHOOK_ENDPOINT_METHODS } from "./webhook-endpoints/webhook-endpoint-methods.js";

const SERVICES = [
  ACCOUNT_METHODS,
  API_KEY_METHODS,
  AUDIT_METHODS,
  CALL_FLOW_METHODS,
  CALL_METHODS,
  CALL_TRACKER_METHODS,
  CALLER_METHODS,
  CLOCK_METHODS,
  DNI_METHODS,
  EVENT_METHODS,
  INVENTORY_METHODS,
  PHONE_NUMBER_METHODS,
  PHONE_SYSTEM_METHODS,
  POOL_METHODS,
  TRAFFIC_METHODS,
  WEBHOOK_ENDPOINT_METHODS,
];

/** The `MethodRow` of every API method. The methods for health checks and reflection have none. */
export const METHOD_ROWS: ReadonlyMap<DescMethod, MethodRow> = new Map(
  SERVICES.flatMap(({ service, rows }) =>
    service.methods.map((method): [DescMethod, MethodRow] => {
      return [method, (rows as Readonly<Record<string, MethodRow>>)[method.localName] as MethodRow];
    }),
  ),
);

for (const service of API_SERVICES) {
  if (!SERVICES.some((each) => each.service === service))
    throw new Error(`${service.typeName} has no method rows: add them to SERVICES`);
}

/** Public, because health reveals only that the server is running, and reflection only the published protos. */
const INFRASTRUCTURE_METHODS = new Set<DescMethod>(INFRASTRUCTURE_SERVICES.flatMap(({ methods }) => methods));

/** Returns the access rule of a method. Throws an Error for a method of an unknown service, so that no method is public by mistake. */
export function requireMethodAccessRule(method: DescMethod): MethodAccess {
  const access = METHOD_ROWS.get(method)?.access;
  if (access !== undefined) return access;
  if (INFRASTRUCTURE_METHODS.has(method)) return "public";
  throw new Error(
    `${method.parent.typeName}.${method.name} has no access rule: add the rows of its service to SERVICES`,
  );
}

/** The size limit for methods without credentials. Their largest valid request, with every character escaped, is under 10 KB. */
const MAX_PUBLIC_BYTES = 16 * 1024;

/** The size limit for methods that require credentials, except for batch methods. Their largest valid request is under 25 KB. */
const MAX_BYTES = 64 * 1024;

/**
 * Returns the maximum size of a method's request message in bytes, both compressed and decompressed.
 *
 * @param maxBodyBytes the limit of the whole server, which is the only limit for batch methods.
 */
export function computeMaxBodyBytes(method: DescMethod, maxBodyBytes: number): number {
  if (METHOD_ROWS.get(method)?.isBatch) return maxBodyBytes;
  return Math.min(maxBodyBytes, requireMethodAccessRule(method) === "public" ? MAX_PUBLIC_BYTES : MAX_BYTES);
}
