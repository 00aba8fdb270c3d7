import { DniService } from "@calltrack/domain/gen/calltracking/v1/dni_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import { callResolutionView } from "../views/dni-view.js";

/** Defines the subcommands of `calls`. */
export function defineCalls(calls: Command, host: Host): void {
  addExamples(calls, ["calltrack calls resolve +14155550142"]);
  addResolve(calls, host);
}

function addResolve(calls: Command, host: Host): void {
  const resolve = calls
    .command("resolve")
    .description("show where a call to a tracking number is routed, and its source")
    .argument("<number>", "the dialled number in E.164 format, such as +14155550142")
    .action(
      createAction(host, async (invocation, trackingNumber: string) => {
        const resolution = await invocation.client(DniService).resolveCall({ trackingNumber }, invocation.call);
        await invocation.show(callResolutionView, resolution);
      }),
    );
  addExamples(resolve, ["calltrack calls resolve +14155550142"]);
}
