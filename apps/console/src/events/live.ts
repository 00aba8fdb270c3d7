import { signal } from "@preact/signals";
import type { Feed, FeedEvent, FeedMessage, JoinMessage, WorkerMessage } from "./feed-message";

/** Whether this tab receives events now. */
export const isLive = signal(false);

type Listener = (event: FeedEvent | undefined) => void;

const listeners = new Set<Listener>();

let feed: Feed | undefined;

/** The last cursor for the current credential. The tab's next loads are newer, so the next feed can begin there without missing events. */
let cursor: string | undefined;

/** The number of the current feed: messages from a former feed may arrive late, and are ignored. */
let id = 0;

let reject: (message: string) => void = () => {};

let connection: Promise<(message: JoinMessage) => void> | undefined;

/** Adds a listener for events. It gets undefined if any value may be outdated. Returns the function that removes it. */
export function onEvent(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Replaces the feed that the tab follows; undefined follows none.
 *
 * @param onUnauthenticated called with the server's message if the server rejects the credential.
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
  // If the code of the feed cannot be loaded, pages refresh by time alone.
  connection.then((send) => send(message)).catch(() => {});
}

/** Connects to the worker that the tabs share. If the browser cannot run it, this tab follows feeds itself. */
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

/** Follows feeds in this tab, only while it is visible: browsers allow few connections to one server. */
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

// A page in the browser's back/forward cache follows no feed, so it may have missed events when it is shown again.
addEventListener("pagehide", () => connection?.then((send) => send(undefined)));
addEventListener("pageshow", ({ persisted }) => {
  if (!persisted) return;
  cursor = undefined;
  join();
});
