/** Identifies the events that a browser tab follows. */
export interface EventFeedSettings {
  /** The server's base URL, without a slash at the end. */
  readonly serverUrl: string;
  /** The API key or access token; undefined if the server requires none. */
  readonly secret: string | undefined;
  /** The account's token; undefined for events from all accounts. */
  readonly account: string | undefined;
}

export interface FeedRequest extends EventFeedSettings {
  /** The cursor after which the feed continues; undefined to begin with the next event. */
  readonly cursor: string | undefined;
}

/** The fields of an event that the pages of the console use. */
export interface FeedEvent {
  /** The event's type, such as `pool.created`. */
  readonly type: string;
  /** The path, in the JSON API, of the resource that the event is about. */
  readonly subject: string;
}

export type FeedMessage =
  /** The feed begins at `cursor`. Values that were loaded earlier may be outdated. */
  | { readonly kind: "begun"; readonly cursor: string }
  /** The feed continues after the cursor in the tab's request. */
  | { readonly kind: "resumed"; readonly cursor: string }
  | { readonly kind: "bookmark"; readonly cursor: string }
  | { readonly kind: "event"; readonly cursor: string; readonly event: FeedEvent }
  /** The server is unreachable, or the feed has ended. The feed is requested again. */
  | { readonly kind: "lost" }
  /** The server rejects the feed. This is the last message. */
  | { readonly kind: "refused" }
  | { readonly kind: "unauthenticated"; readonly message: string };

/** A message from a tab to the worker: the tab leaves its current feed and joins another feed. If the message is undefined, the tab only leaves. */
export type TabToFeedWorkerMessage = { readonly id: number; readonly request: FeedRequest } | undefined;

/** A message from the worker to a tab, with the id in the tab's TabToFeedWorkerMessage. */
export interface FeedWorkerToTabMessage {
  readonly id: number;
  readonly message: FeedMessage;
}
