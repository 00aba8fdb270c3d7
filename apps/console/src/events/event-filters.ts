import type { FeedEvent } from "./feed-message";

/** Returns whether an event may have changed the value that a page shows. */
export type EventFilter = (event: FeedEvent) => boolean;

/** A kind of resource: the first part of an event type such as `pool.created`. */
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

/** Returns a filter that matches events about resources of the given kinds. */
export function createResourceKindEventFilter(...kinds: readonly Kind[]): EventFilter {
  return ({ type }) => kinds.some((kind) => type.startsWith(`${kind}.`));
}

/**
 * Returns a filter for events about a pool, its call trackers and its account. Events about any account match, because the feed of a pool's page
 * contains only events of the pool's account.
 */
export function createPoolEventFilter(poolId: string): EventFilter {
  const path = `/pools/${poolId.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("account.") || subject.includes(path);
}

/** Matches events about an account's default call flow, which all pools of the account inherit. */
export const isAccountCallFlowEvent: EventFilter = ({ type, subject }) =>
  type.startsWith("call_flow.") && !subject.includes("/pools/");

export function createWebhookEndpointEventFilter(id: string): EventFilter {
  const path = `/webhook_endpoints/${id.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("webhook_endpoint.") && subject.endsWith(path);
}
