/**
 * The types of events. A type names a kind of resource and a change, such as `call.ended`. Later versions can add types, so clients must ignore
 * unknown types.
 */
export const EVENT_TYPES = [
  "account.created",
  "account.updated",
  "account.enabled",
  "account.disabled",
  "phone_number.created",
  "pool.created",
  "pool.updated",
  "pool.problems_began",
  "pool.problems_ended",
  "call_tracker.added",
  "call_tracker.activated",
  "call_tracker.flagged",
  "call_tracker.unflagged",
  "call_tracker.deactivated",
  "call_tracker.deleted",
  "call_tracker.described",
  "call_tracker.retiring",
  "tracking_number.added",
  "tracking_number.retired",
  "phone_system.created",
  "phone_system.updated",
  "call_flow.updated",
  "source_aliases.updated",
  "call.started",
  "call.answered",
  "call.ended",
  "call.updated",
  "call.caller_forgotten",
  "webhook_endpoint.created",
  "webhook_endpoint.updated",
  "webhook_endpoint.deleted",
  "webhook_endpoint.disabled",
  "webhook_endpoint.test",
] as const;

export type EventType = (typeof EVENT_TYPES)[number];
