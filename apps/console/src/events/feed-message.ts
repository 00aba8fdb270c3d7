/** The events that a tab follows. */
export interface Feed {
  /** The address of the server, without a slash at the end. */
  readonly serverUrl: string;
  /** The credential; undefined if the server authenticates nobody. */
  readonly secret: string | undefined;
  /** Undefined for the feed of all accounts. */
  readonly account: string | undefined;
}

/** A feed, and where it begins. */
export interface FeedRequest extends Feed {
  /** The last cursor that the tab has; undefined to begin with the next event. */
  readonly cursor: string | undefined;
}

/** Something that happened, as pages are told of it. */
export interface FeedEvent {
  /** For example `pool.created`. */
  readonly type: string;
  /** The path of the resource in the JSON API. */
  readonly subject: string;
}

/** The message to a tab that follows a feed. */
export type FeedMessage =
  /** The feed begins here: values that were loaded before may be outdated. */
  | { readonly kind: "begun"; readonly cursor: string }
  /** The feed goes on after the tab's cursor. */
  | { readonly kind: "resumed"; readonly cursor: string }
  | { readonly kind: "bookmark"; readonly cursor: string }
  | { readonly kind: "event"; readonly cursor: string; readonly event: FeedEvent }
  /** The server cannot be reached or refuses the feed. */
  | { readonly kind: "lost" }
  | { readonly kind: "unauthenticated"; readonly message: string };

/** The message with which a tab joins a feed, and leaves its former one. Undefined only leaves it. */
export type JoinMessage = { readonly id: number; readonly request: FeedRequest } | undefined;

/** The message from the worker to a tab, with the id under which the tab joined the feed. */
export interface WorkerMessage {
  readonly id: number;
  readonly message: FeedMessage;
}
