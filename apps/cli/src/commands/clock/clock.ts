import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ClockSchema, ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { Command } from "commander";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseDurationOption } from "../../options/option-value.js";
import type { Host } from "../../process/host.js";

const clockView = { schema: ClockSchema };

/** Defines the subcommands of `clock`. */
export function defineClock(clock: Command, host: Host): void {
  addExamples(clock, ["calltrack clock show", "calltrack clock advance 30d"]);
  addShow(clock, host);
  addAdvance(clock, host);
}

function addShow(clock: Command, host: Host): void {
  const show = clock
    .command("show", { isDefault: true })
    .description("show the server's time, and whether it can be advanced")
    .action(
      createAction(host, async (invocation) => {
        await invocation.show(clockView, await invocation.client(ClockService).getClock({}, invocation.call));
      }),
    );
  addExamples(show, ["calltrack clock show", "calltrack clock show --output json"]);
}

function addAdvance(clock: Command, host: Host): void {
  const advance = clock
    .command("advance")
    .description("advance the time and manage all pools meanwhile; requires a server started with CLOCK=virtual")
    .argument("<duration>", "duration, such as 30d, 12h, 90m or 60s", parseDurationOption)
    .action(
      createAction(host, async (invocation, ms: number) => {
        // No deadline, because managing all pools can take long.
        const call = { ...invocation.call, timeoutMs: 0 };
        await invocation.show(
          clockView,
          await invocation.client(ClockService).advanceClock({ by: durationFromMs(ms) }, call),
        );
      }),
    );
  addExamples(advance, ["calltrack clock advance 30d", "calltrack clock advance 90m"]);
}
