import { CallerService } from "@calltrack/domain/gen/calltracking/v1/caller_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import { callerView } from "../views/caller-view.js";

/** Defines `whoami`, which shows how the server sees the caller. */
export function defineWhoami(whoami: Command, host: Host): void {
  whoami.action(
    createAction(host, async (invocation) => {
      await invocation.show(callerView, await invocation.client(CallerService).whoAmI({}, invocation.call));
    }),
  );
  addExamples(whoami, ["calltrack whoami", "calltrack whoami --profile staging --output json"]);
}
