import { type Event, EventService, type WatchEventsResponse } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { visibleText } from "@calltrack/domain/visible-text";
import { reconnect } from "../../connection/retry/reconnect.js";
import { waitText } from "../../connection/retry/wait-notice-interceptor.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { addEventOptions, type EventOptions, eventRequestOf, notifyCursor } from "./event-options.js";
import { eventView } from "./event-view.js";

/** An event, and the cursor of the place after it. */
interface PlacedEvent {
  readonly message: Event;
  readonly cursor: string;
}

const streamHelp = `
Connection:
  Reconnects after failures of the server or the network, and continues after the last
  event, so that none is missed or repeated. The server sends a sign of life at least
  every 20 seconds; after --timeout without one, the connection counts as lost.
`;

/** Adds `events watch`. */
export function addEventsWatch(events: CliCommand): void {
  const description = "print events as they happen, until Ctrl-C; as ndjson unless stdout is a terminal";
  addEventOptions(events.command("watch").description(description), "new events")
    .run(async (invocation, accountId: string | undefined, options: EventOptions) => {
      const { host, notify } = invocation;
      const { server, retries, timeout } = invocation.options;
      const request = await eventRequestOf(invocation, accountId, options);
      let cursor: string | undefined;
      const messages = reconnect<WatchEventsResponse>({
        // No deadline: the stream has no end.
        open: (last, signal) =>
          invocation
            .client(EventService, signal)
            .watchEvents(last === undefined ? request : { ...request, from: undefined, cursor: last.cursor }, {
              timeoutMs: 0,
            }),
        stop: host.interrupt.stop,
        retries,
        silenceMs: timeout,
        onOutage: (error) => notify(`${visibleText(waitText(error, server))}\n`),
      });

      async function* readEvents({ limit = Number.POSITIVE_INFINITY }): AsyncGenerator<PlacedEvent> {
        let count = 0;
        for await (const message of messages) {
          cursor = message.cursor;
          if (message.event === undefined) continue;
          yield { message: message.event, cursor };
          if (++count === limit) return;
        }
      }

      await invocation.showStream(eventView, readEvents(options));
      if (cursor !== undefined) notifyCursor(invocation, cursor);
    }, "lines")
    .addHelpText("after", streamHelp.trimEnd())
    .examples(
      "calltrack events watch acme",
      "calltrack events watch --type 'call.*' --since 1h",
      "calltrack events watch acme --columns type,subject",
    );
}
