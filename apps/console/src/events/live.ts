import { signal } from "@preact/signals";
import type { Feed, FeedEvent, FeedMessage, JoinMessage, WorkerMessage } from "./feed-message";

/** Whether this tab is told of events. */
export const isLive = signal(false);

type Listener = (event: FeedEvent | undefined) => void;

const listeners = new Set<Listener>();

let feed: Feed | undefined;

/** The last cursor for the credential. It is older than what the tab loads next, so a further feed begins there. */
let cursor: string | undefined;

/** Counts the feeds, because messages of a former one may arrive late. */
let id = 0;

let reject: (message: string) => void = () => {};

let connection: Promise<(message: JoinMessage) => void> | undefined;

/**
 * Calls a function with each event of the feed, and without one when any value may be outdated.
 *
 * @returns the function that stops this.
 */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Follows a feed instead of the one before; undefined follows none.
 *
 * @param onUnauthenticated is called with the server's message if it rejects the credential.
 */
export function follow(next: Feed | undefined, onUnauthenticated: (message: string) => void): void {
  reject = onUnauthenticated;
  if (JSON.stringify(next) === JSON.stringify(feed)) return;
  if (next?.secret !== feed?.secret) cursor = undefined;
  feed = next;
  join();
}

function join(): void {
  id++;
  isLive.value = false;
  if (feed === undefined && connection === undefined) return;
  const message: JoinMessage = feed && { id, request: { ...feed, cursor } };
  connection ??= connect();
  // Without the code of the feed, pages refresh as without events.
  connection.then((send) => send(message)).catch(() => {});
}

/** Connects with the worker that the tabs share. Without one, this tab follows feeds itself. */
async function connect(): Promise<(message: JoinMessage) => void> {
  const { WORKER_URL, followFeed } = await import("./feed-worker");
  const own = createOwnFeed(followFeed);
  try {
    const worker = new SharedWorker(WORKER_URL, { type: "module", name: "calltrack" });
    let send = (message: JoinMessage) => worker.port.postMessage(message);
    worker.port.onmessage = ({ data }: MessageEvent<WorkerMessage>) => hear(data.id, data.message);
    worker.onerror = () => {
      send = own;
      join();
    };
    return (message) => send(message);
  } catch {
    return own;
  }
}

/** Follows feeds in this tab while it is visible: the browser allows few connections to a server. */
function createOwnFeed(followFeed: typeof import("./feed-worker").followFeed): (message: JoinMessage) => void {
  let joined: JoinMessage;
  let end = new AbortController();
  const update = () => {
    end.abort();
    end = new AbortController();
    if (joined === undefined || document.visibilityState === "hidden") return;
    const { id: own, request } = joined;
    void followFeed({ ...request, cursor }, (message) => hear(own, message), end.signal);
  };
  return (message) => {
    joined = message;
    update();
    document.addEventListener("visibilitychange", update);
  };
}

function hear(sender: number, message: FeedMessage): void {
  if (sender !== id) return;
  if (message.kind === "unauthenticated") reject(message.message);
  if ("cursor" in message) cursor = message.cursor;
  isLive.value = "cursor" in message;
  if (message.kind === "begun") for (const listener of listeners) listener(undefined);
  if (message.kind === "event") for (const listener of listeners) listener(message.event);
}

// A page that the browser keeps for "back" does not follow. It may have missed events when it is shown again.
addEventListener("pagehide", () => connection?.then((send) => send(undefined)));
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  cursor = undefined;
  join();
});
