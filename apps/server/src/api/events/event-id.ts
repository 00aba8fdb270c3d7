import { hash } from "node:crypto";
import type { EventRow } from "./event-repository.js";

/**
 * Returns the id of an event: a UUIDv8 (RFC 9562 section 5.8) hashed from its log, position, type, resource and time. After a restore to an
 * earlier time, a new event at the same position therefore gets a different id.
 */
export function computeEventId(logId: string, event: EventRow): string {
  const { account_id, position, type, occurred_at, pool_id, resource_id, number } = event;
  const digest = hash(
    "sha256",
    JSON.stringify([logId, account_id, position, type, occurred_at, pool_id, resource_id, number]),
  );
  const variant = ((Number.parseInt(digest.charAt(16), 16) & 3) | 8).toString(16);
  const groups = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, variant + digest.slice(17, 20)];
  return [...groups, digest.slice(20, 32)].join("-");
}
