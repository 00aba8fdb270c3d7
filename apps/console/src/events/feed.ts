import { EventService, type WatchEventsResponse } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { ErrorInfoSchema } from "@calltrack/domain/gen/google/rpc/error_details_pb";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import type { FeedMessage, FeedRequest } from "./feed-message";

/** Event types to request for all accounts. Events about calls are omitted, because no page shows the calls of all accounts. */
const TYPES_OF_ALL = [
  "account.*",
  "pool.*",
  "call_tracker.*",
  "tracking_number.*",
  "phone_system.*",
  "webhook_endpoint.*",
];

const MIN_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

/** The server sends a message every 20 seconds, so a longer silence means that the connection was lost. */
const MAX_SILENCE_MS = 50_000;

/** Errors that a retry cannot fix. Sending a rejected credential again would count as another failed login. */
const REFUSALS: readonly Code[] = [Code.Unauthenticated, Code.PermissionDenied, Code.NotFound, Code.Unimplemented];

const LOST_CURSORS: readonly string[] = ["EVENT_CURSOR_EXPIRED", "EVENT_CURSOR_UNKNOWN"];

/** Requests events until the signal aborts or the server rejects the feed. Reconnects with growing delays, and continues after the last cursor. */
export async function followFeed(
  request: FeedRequest,
  onMessage: (message: FeedMessage) => void,
  signal: AbortSignal,
): Promise<void> {
  let { cursor } = request;
  for (let failures = 0; !signal.aborted; failures++) {
    let isConnected = false;
    try {
      for await (const { event, cursor: next } of watch({ ...request, cursor }, signal)) {
        if (signal.aborted) return;
        if (!isConnected) onMessage({ kind: cursor === undefined ? "begun" : "resumed", cursor: next });
        isConnected = true;
        failures = 0;
        cursor = next;
        if (event === undefined) onMessage({ kind: "bookmark", cursor });
        else onMessage({ kind: "event", cursor, event: { type: event.type, subject: event.subject } });
      }
    } catch (error) {
      if (signal.aborted) return;
      const failure = ConnectError.from(error);
      const reason = failure.findDetails(ErrorInfoSchema)[0]?.reason ?? "";
      if (LOST_CURSORS.includes(reason)) cursor = undefined;
      if (failure.code === Code.Unauthenticated) onMessage({ kind: "unauthenticated", message: failure.rawMessage });
      if (REFUSALS.includes(failure.code)) break;
    }
    onMessage({ kind: "lost" });
    await delay(Math.min(MIN_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS) * (0.75 + Math.random() / 2), signal);
  }
  if (!signal.aborted) onMessage({ kind: "refused" });
}

/** Streams events from the server. The stream fails after `MAX_SILENCE_MS` without a message. */
async function* watch({ serverUrl, secret, account, cursor }: FeedRequest, signal: AbortSignal) {
  const client = createClient(EventService, createConnectTransport({ baseUrl: serverUrl, useBinaryFormat: true }));
  const silence = new AbortController();
  const listen = () => setTimeout(() => silence.abort(), MAX_SILENCE_MS);
  let timer = listen();
  const messages: AsyncIterable<WatchEventsResponse> = client.watchEvents(
    { accountId: account, types: account === undefined ? TYPES_OF_ALL : [], cursor: cursor ?? "now" },
    {
      signal: AbortSignal.any([signal, silence.signal]),
      headers: secret === undefined ? {} : { authorization: `Bearer ${secret}` },
    },
  );
  try {
    for await (const message of messages) {
      clearTimeout(timer);
      timer = listen();
      yield message;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves after the given milliseconds, or earlier if the signal aborts. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener("abort", finish);
  });
}
