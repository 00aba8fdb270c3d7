import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { ClockSchema, ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { parseDurationOption } from "../../options/option-value.js";

const clockView = { schema: ClockSchema };

export function defineCommand(clock: CliCommand): void {
  addShow(clock);
  addAdvance(clock);
  clock.subcommandExamples();
}

function addShow(clock: CliCommand): void {
  clock
    .command("show", { isDefault: true })
    .description("show the server's time, and whether it can be advanced")
    .run(async (invocation) => {
      await invocation.show(clockView, await invocation.client(ClockService).getClock({}));
    })
    .examples("calltrack clock show", "calltrack clock show --output json");
}

function addAdvance(clock: CliCommand): void {
  clock
    .command("advance")
    .description(
      "advance the server's time, and run the passes of all pools up to the new time; requires a server started with CLOCK=virtual",
    )
    .argument("<duration>", "how far to advance the time, such as 30d, 12h, 90m or 60s", parseDurationOption)
    .run(async (invocation, ms: number) => {
      const client = invocation.client(ClockService);
      // No deadline, because managing all pools can take a long time.
      await invocation.show(clockView, await client.advanceClock({ by: durationFromMs(ms) }, { timeoutMs: 0 }));
    })
    .examples("calltrack clock advance 30d", "calltrack clock advance 90m");
}
