/** Which events a tab follows. */
export interface Feed {
  /** Without a slash at the end. */
  readonly serverUrl: string;
  /** The credential; undefined if the server needs none. */
  readonly secret: string | undefined;
  /** Undefined for the feed of all accounts. */
  readonly account: string | undefined;
}

export interface FeedRequest extends Feed {
  /** The tab's last cursor; undefined to begin with the next event. */
  readonly cursor: string | undefined;
}

/** The fields of an event that pages use. */
export interface FeedEvent {
  /** For example `pool.created`. */
  readonly type: string;
  /** The path of the resource in the JSON API. */
  readonly subject: string;
}

export type FeedMessage =
  /** The feed begins here. Values that were loaded earlier may be outdated. */
  | { readonly kind: "begun"; readonly cursor: string }
  /** The feed continues after the tab's cursor. */
  | { readonly kind: "resumed"; readonly cursor: string }
  | { readonly kind: "bookmark"; readonly cursor: string }
  | { readonly kind: "event"; readonly cursor: string; readonly event: FeedEvent }
  /** The server cannot be reached, or rejects the feed. */
  | { readonly kind: "lost" }
  | { readonly kind: "unauthenticated"; readonly message: string };

/** The message by which a tab leaves its former feed and joins another one. Undefined joins none. */
export type JoinMessage = { readonly id: number; readonly request: FeedRequest } | undefined;

/** A message from the worker to a tab, with the id that the tab sent when it joined the feed. */
export interface WorkerMessage {
  readonly id: number;
  readonly message: FeedMessage;
}
