import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import {
  addEventSelectionOptions,
  createEventSelectionRequest,
  type EventSelectionOptions,
  printResumeHint,
} from "./event-options.js";
import { eventView } from "./event-view.js";
import { followEvents, RECONNECTION_HELP } from "./follow-events.js";

/** An event, and the cursor from which the stream continues after it. */
interface PlacedEvent {
  readonly message: Event;
  readonly cursor: string;
}

export function addEventsWatchCommand(events: CliCommand): void {
  const description = "print events as they happen, until Ctrl-C; as ndjson unless stdout is a terminal";
  addEventSelectionOptions(events.command("watch").description(description), "new events")
    .run(async (invocation, accountId: string | undefined, options: EventSelectionOptions) => {
      const messages = followEvents(invocation, await createEventSelectionRequest(invocation, accountId, options));
      let cursor: string | undefined;

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
      if (cursor !== undefined) printResumeHint(invocation, cursor);
    }, "lines")
    .addHelpText("after", RECONNECTION_HELP.trimEnd())
    .examples(
      "calltrack events watch acme",
      "calltrack events watch --type 'call.*' --since 1h",
      "calltrack events watch acme --columns type,subject",
    );
}
