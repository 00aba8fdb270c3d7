import type { FeedEvent } from "./feed-message";

/** Whether an event changes a value. */
export type EventFilter = (event: FeedEvent) => boolean;

/** The kinds of resources that events are about. */
type Kind =
  | "account"
  | "phone_number"
  | "pool"
  | "call_tracker"
  | "tracking_number"
  | "phone_system"
  | "call_flow"
  | "call"
  | "webhook_endpoint";

/** Accepts the events about resources of some kinds. */
export function ofKinds(...kinds: readonly Kind[]): EventFilter {
  return ({ type }) => kinds.some((kind) => type.startsWith(`${kind}.`));
}

/** Accepts the events about a pool and its call trackers, and those about its account. */
export function ofPool(poolId: string): EventFilter {
  const path = `/pools/${poolId.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("account.") || subject.includes(path);
}

/** Accepts the events about the default call flow of an account, which all its pools inherit. */
export const ofAccountFlow: EventFilter = ({ type, subject }) =>
  type.startsWith("call_flow.") && !subject.includes("/pools/");

/** Accepts the events about a webhook endpoint. */
export function ofWebhookEndpoint(id: string): EventFilter {
  const path = `/webhook_endpoints/${id.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("webhook_endpoint.") && subject.endsWith(path);
}
