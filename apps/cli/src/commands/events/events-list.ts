import { type Event, EventService } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import {
  addEventSelectionOptions,
  createEventSelectionRequest,
  type EventSelectionOptions,
  printResumeHint,
} from "./event-options.js";
import { eventView } from "./event-view.js";

/** The service's maximum page size. */
const PAGE_SIZE = 1000;

export function addEventsListCommand(events: CliCommand): void {
  const description = "list the events so far, oldest first; as ndjson unless stdout is a terminal";
  addEventSelectionOptions(events.command("list").description(description), "the oldest event")
    .run(async (invocation, accountId: string | undefined, options: EventSelectionOptions) => {
      const client = invocation.client(EventService);
      let { from, cursor, ...request } = await createEventSelectionRequest(invocation, accountId, options);

      /** Yields pages up to the current end of the log. The log grows, so the service never marks a page as the last one. */
      async function* readPages({ limit: remaining = Number.POSITIVE_INFINITY }): AsyncGenerator<Event[]> {
        for (let isEnd = false; !isEnd; ) {
          const pageSize = Math.min(PAGE_SIZE, remaining);
          const page = await client.listEvents({ ...request, from, cursor, pageSize });
          yield page.events;
          [from, cursor] = [undefined, page.nextCursor];
          remaining -= page.events.length;
          isEnd = page.events.length < pageSize || remaining === 0;
        }
      }

      await invocation.showList(eventView, readPages(options));
      if (cursor !== undefined) printResumeHint(invocation, cursor);
    }, "lines")
    .examples(
      "calltrack events list acme --since 1h",
      "calltrack events list --type 'call.*' --type pool.updated --limit 100",
      "calltrack events list --since 30d > events.jsonl",
    );
}
