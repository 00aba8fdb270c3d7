import { followFeed } from "./feed";
import type { FeedMessage, FeedRequest, FeedWorkerToTabMessage, TabToFeedWorkerMessage } from "./feed-message";

export { followFeed };

/** The URL of this module, which is also the worker's script: the worker and the pages share the files that this module imports. */
export const FEED_WORKER_URL = import.meta.url;

interface SharedFeed {
  /** For each tab that has joined, a function that sends the tab a message. */
  readonly members: Set<(message: FeedMessage) => void>;
  readonly end: AbortController;
  cursor: string | undefined;
  isConnected: boolean;
}

const feeds = new Map<string, SharedFeed>();

/** Adds a tab to a feed, which begins with its first tab and ends when its last tab leaves. Returns a function that removes the tab. */
function join(request: FeedRequest, send: (message: FeedMessage) => void): () => void {
  const { serverUrl, secret, account } = request;
  const key = JSON.stringify([serverUrl, secret, account]);
  const feed = feeds.get(key) ?? beginFeed(key, request);
  feed.members.add(send);
  // A tab without a cursor gets `begun`: the tab may have loaded its values before it joined the feed, so the values may be outdated.
  if (feed.isConnected && feed.cursor !== undefined)
    send({ kind: request.cursor === undefined ? "begun" : "resumed", cursor: feed.cursor });
  return () => {
    feed.members.delete(send);
    if (feed.members.size > 0) return;
    feed.end.abort();
    if (feeds.get(key) === feed) feeds.delete(key);
  };
}

function beginFeed(key: string, request: FeedRequest): SharedFeed {
  const feed: SharedFeed = { members: new Set(), end: new AbortController(), cursor: undefined, isConnected: false };
  feeds.set(key, feed);
  const send = (message: FeedMessage) => {
    feed.isConnected = "cursor" in message;
    if ("cursor" in message) feed.cursor = message.cursor;
    for (const member of feed.members) member(message);
  };
  void followFeed(request, send, feed.end.signal).finally(() => {
    // The server rejected the feed. The next tab that joins requests it again.
    if (feeds.get(key) === feed) feeds.delete(key);
  });
  return feed;
}

/** Handles the messages of a tab. The worker keeps credentials only in memory, and only while a tab uses them. */
function serve(port: MessagePort): void {
  let leave = () => {};
  port.addEventListener("message", ({ data }: MessageEvent<TabToFeedWorkerMessage>) => {
    leave();
    leave = () => {};
    if (data === undefined) return;
    const { id, request } = data;
    leave = join(request, (message) => port.postMessage({ id, message } satisfies FeedWorkerToTabMessage));
  });
  // The `close` event occurs even if a tab crashes. In browsers without the `close` event, the worker and its feeds end with the last tab.
  port.addEventListener("close", () => leave());
  port.start();
}

if ("SharedWorkerGlobalScope" in globalThis)
  addEventListener("connect", (event) => {
    for (const port of (event as MessageEvent).ports) serve(port);
  });
