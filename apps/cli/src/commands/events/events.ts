import type { CliCommand } from "../../invocation/cli-command.js";
import { addEventsListCommand } from "./events-list.js";
import { addEventsWatchCommand } from "./events-watch.js";

export function defineCommand(events: CliCommand): void {
  addEventsListCommand(events);
  addEventsWatchCommand(events);
  events.subcommandExamples();
}
