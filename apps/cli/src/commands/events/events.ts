import type { CliCommand } from "../../invocation/cli-command.js";
import { addEventsList } from "./events-list.js";
import { addEventsWatch } from "./events-watch.js";

export function defineCommand(events: CliCommand): void {
  addEventsList(events);
  addEventsWatch(events);
  events.subcommandExamples();
}
