import type { EventJson } from "./api-client.js";

/** A message of WatchEvents. The event is null in a bookmark. */
export interface WatchedMessage {
  readonly event: EventJson | null;
  readonly cursor: string;
}

/** A stream of events as NDJSON. Disposing of it disconnects. */
export interface EventStream extends AsyncDisposable {
  readonly messages: readonly WatchedMessage[];
  readonly events: readonly EventJson[];
  /** Resolves with the error record that ends the stream; undefined if the connection closes instead. */
  readonly ended: Promise<unknown>;
}

/** Opens a stream of events. Rejects with the response body as the error message if the HTTP status is not 200. */
export async function openEventStream(
  url: string,
  target = "/dni_manager/events:watch",
  headers: Readonly<Record<string, string>> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const { signal } = controller;
  const response = await fetch(url + target, { headers: { accept: "application/x-ndjson", ...headers }, signal });
  if (response.status !== 200) throw new Error(await response.text());
  const messages: WatchedMessage[] = [];
  async function read(): Promise<unknown> {
    let rest = "";
    const text = new TextDecoder();
    for await (const chunk of response.body as ReadableStream<Uint8Array<ArrayBuffer>>) {
      const lines = (rest + text.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line);
        if ("error" in message) return message.error;
        messages.push(message);
      }
    }
    return undefined;
  }
  const ended = read().catch(() => undefined);
  return {
    messages,
    get events() {
      return messages.flatMap(({ event }) => event ?? []);
    },
    ended,
    async [Symbol.asyncDispose]() {
      controller.abort();
      await ended;
    },
  };
}
