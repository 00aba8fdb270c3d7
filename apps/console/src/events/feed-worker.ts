import { followFeed } from "./feed";
import type { FeedMessage, FeedRequest, JoinMessage, WorkerMessage } from "./feed-message";

export { followFeed };

/** The address of this module, which is the script of the worker too: so the worker and pages share the files that it imports. */
export const WORKER_URL = import.meta.url;

/** A feed that tabs share. */
interface SharedFeed {
  /** Sends a message to each tab. */
  readonly members: Set<(message: FeedMessage) => void>;
  readonly end: AbortController;
  cursor: string | undefined;
  isConnected: boolean;
}

const feeds = new Map<string, SharedFeed>();

/** Joins a feed, which begins with its first tab and ends with its last one. Returns the function that leaves it. */
function join(request: FeedRequest, tell: (message: FeedMessage) => void): () => void {
  const { serverUrl, secret, account } = request;
  const key = JSON.stringify([serverUrl, secret, account]);
  const feed = feeds.get(key) ?? beginFeed(key, request);
  feed.members.add(tell);
  // A tab without a cursor has loaded its values before it joined.
  if (feed.isConnected && feed.cursor !== undefined)
    tell({ kind: request.cursor === undefined ? "begun" : "resumed", cursor: feed.cursor });
  return () => {
    feed.members.delete(tell);
    if (feed.members.size > 0) return;
    feed.end.abort();
    if (feeds.get(key) === feed) feeds.delete(key);
  };
}

function beginFeed(key: string, request: FeedRequest): SharedFeed {
  const feed: SharedFeed = { members: new Set(), end: new AbortController(), cursor: undefined, isConnected: false };
  feeds.set(key, feed);
  const tell = (message: FeedMessage) => {
    feed.isConnected = "cursor" in message;
    if ("cursor" in message) feed.cursor = message.cursor;
    for (const member of feed.members) member(message);
  };
  void followFeed(request, tell, feed.end.signal).finally(() => {
    // The server refused it. The next tab tries again.
    if (feeds.get(key) === feed) feeds.delete(key);
  });
  return feed;
}

/** Serves a tab. Credentials are only in the memory of the worker, while a tab uses them. */
function serve(port: MessagePort): void {
  let leave = () => {};
  port.addEventListener("message", ({ data }: MessageEvent<JoinMessage>) => {
    leave();
    leave = () => {};
    if (data === undefined) return;
    const { id, request } = data;
    leave = join(request, (message) => port.postMessage({ id, message } satisfies WorkerMessage));
  });
  // For tabs that crash. Browsers without this event end the worker, and so the feed, with the last tab.
  port.addEventListener("close", () => leave());
  port.start();
}

if ("SharedWorkerGlobalScope" in globalThis)
  addEventListener("connect", (event) => {
    for (const port of (event as MessageEvent).ports) serve(port);
  });
