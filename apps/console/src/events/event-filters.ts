import type { FeedEvent } from "./feed-message";

/** Tells whether an event may have changed a value. */
export type EventFilter = (event: FeedEvent) => boolean;

/** The resources that events are about: the first part of an event's type. */
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

/** Returns a filter for the events about resources of these kinds. */
export function eventsAbout(...kinds: readonly Kind[]): EventFilter {
  return ({ type }) => kinds.some((kind) => type.startsWith(`${kind}.`));
}

/** Returns a filter for the events about a pool, its call trackers and its account: the feed of a pool's page has no other accounts. */
export function eventsAboutPool(poolId: string): EventFilter {
  const path = `/pools/${poolId.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("account.") || subject.includes(path);
}

/** Matches the events about the default call flow of an account, which all its pools inherit. */
export const isAboutAccountCallFlow: EventFilter = ({ type, subject }) =>
  type.startsWith("call_flow.") && !subject.includes("/pools/");

export function eventsAboutWebhookEndpoint(id: string): EventFilter {
  const path = `/webhook_endpoints/${id.toLowerCase()}`;
  return ({ type, subject }) => type.startsWith("webhook_endpoint.") && subject.endsWith(path);
}
