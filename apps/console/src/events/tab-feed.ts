import { signal } from "@preact/signals";
import type {
  EventFeedSettings,
  FeedEvent,
  FeedMessage,
  FeedWorkerToTabMessage,
  TabToFeedWorkerMessage,
} from "./feed-message";

/** Whether this tab currently receives events. If so, pages reload their values less often, because events cause reloads. */
export const isReceivingEvents = signal(false);

/**
 * A longer silence of the worker means that it has ended. It runs in the process of one of the tabs, and no event tells the other tabs that this
 * process has crashed. Even while the server is unreachable, the worker sends a message after each attempt, so every 90 seconds at least.
 */
const MAX_WORKER_SILENCE_MS = 100_000;

type Listener = (event: FeedEvent | undefined) => void;

const listeners = new Set<Listener>();

let feed: EventFeedSettings | undefined;

/**
 * The cursor of the last message from a feed with the current credential. Values that pages load after this message contain all changes before the
 * cursor, so the next feed can continue after the cursor.
 */
let cursor: string | undefined;

/** Identifies the current feed. Late messages from an earlier feed have another id, and are ignored. */
let id = 0;

let reject: (message: string) => void = () => {};

let connection: Promise<(message: TabToFeedWorkerMessage) => void> | undefined;

/**
 * Adds a listener that is called with each event, or with undefined if all loaded values may be outdated. Returns a function that removes the
 * listener.
 */
export function addEventFeedListener(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Makes this tab follow another feed, or no feed if `next` is undefined.
 *
 * @param onUnauthenticated called with the server's message if the server rejects the credential.
 */
export function switchEventFeed(
  next: EventFeedSettings | undefined,
  onUnauthenticated: (message: string) => void,
): void {
  reject = onUnauthenticated;
  if (JSON.stringify(next) === JSON.stringify(feed)) return;
  if (next?.secret !== feed?.secret) cursor = undefined;
  feed = next;
  join();
}

function join(): void {
  id++;
  isReceivingEvents.value = false;
  if (feed === undefined && connection === undefined) return;
  const message: TabToFeedWorkerMessage = feed && { id, request: { ...feed, cursor } };
  connection ??= connect();
  // If the browser cannot load the code for feeds, pages are only refreshed periodically.
  connection.then((send) => send(message)).catch(() => {});
}

/** Connects to the worker that all tabs share. If the browser cannot run the worker, this tab follows feeds itself. */
async function connect(): Promise<(message: TabToFeedWorkerMessage) => void> {
  const { FEED_WORKER_URL, followFeed } = await import("./feed-worker");
  const own = createOwnFeed(followFeed);
  try {
    const worker = new SharedWorker(FEED_WORKER_URL, { type: "module", name: "calltrack" });
    let send = (message: TabToFeedWorkerMessage) => worker.port.postMessage(message);
    let silence: ReturnType<typeof setTimeout>;
    const listen = (isExpectingMessages: boolean) => {
      clearTimeout(silence);
      if (isExpectingMessages) silence = setTimeout(() => reconnect(worker), MAX_WORKER_SILENCE_MS);
    };
    worker.port.onmessage = ({ data }: MessageEvent<FeedWorkerToTabMessage>) => {
      if (data.id === id) listen(data.message.kind !== "refused");
      hear(data.id, data.message);
    };
    worker.onerror = () => {
      send = own;
      join();
    };
    return (message) => {
      listen(message !== undefined && send !== own);
      send(message);
    };
  } catch {
    return own;
  }
}

/** Starts another worker. The ended worker may have lost events, so all loaded values may be outdated. */
function reconnect({ port }: SharedWorker): void {
  port.close();
  connection = undefined;
  cursor = undefined;
  join();
}

/** Follows feeds in this tab while the tab is visible. Hidden tabs follow none, because browsers allow few connections to one server. */
function createOwnFeed(
  followFeed: typeof import("./feed-worker").followFeed,
): (message: TabToFeedWorkerMessage) => void {
  let joined: TabToFeedWorkerMessage;
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
  isReceivingEvents.value = "cursor" in message;
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
