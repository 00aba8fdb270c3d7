import { PoolService, type PoolType, PoolTypeSchema } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parseIntegerOption, parseNumberOption } from "../../options/option-value.js";
import { showChangedPool } from "./show-pools.js";

interface CreateOptions {
  readonly number: string;
  readonly areaCode: string;
  readonly size: number;
  readonly type: PoolType;
  readonly dni?: boolean;
  readonly prompted?: boolean;
  readonly recorded?: boolean;
  readonly property?: string;
  readonly utilization?: number;
  readonly description?: string;
}

/** Omitted flags are not sent: the service decides which flags it requires. */
export function addCreatePoolCommand(pools: CliCommand): void {
  const common = "calltrack pools create acme --number +12223334444 --area-code 415 --size 10";
  pools
    .command("create")
    .description("create a pool for one of the account's phone numbers")
    .accountArgument()
    .requiredOption("--number <number>", "a registered phone number of the account")
    .requiredOption("--area-code <digits>", "the area code of the tracking numbers")
    .requiredOption("--size <count>", "the maximum number of call trackers", parseIntegerOption)
    .addOption(
      createEnumOption(
        "--type <type>",
        "whether you (manual) or Calltrack (automanaged) assigns call trackers to sources",
        PoolTypeSchema,
      ).makeOptionMandatory(),
    )
    .option("--dni", "use dynamic number insertion (either --dni or --no-dni is required)")
    .option("--no-dni", "do not use dynamic number insertion")
    .option("--prompted", "play a prompt before calls (either --prompted or --no-prompted is required)")
    .option("--no-prompted", "do not play a prompt")
    .option("--recorded", "record calls; requires --prompted (either --recorded or --no-recorded is required)")
    .option("--no-recorded", "do not record calls")
    .option("--property <token>", "the property whose visits determine the pool's sources (required if automanaged)")
    .option(
      "--utilization <share>",
      "maximum number of active call trackers as a share of the size, 0 to 1 (required if automanaged)",
      parseNumberOption,
    )
    .option("--description <text>", "a note on the pool's purpose")
    .run(async (invocation, accountId: string, options: CreateOptions) => {
      const { number: originalNumber, type: poolType, property: propertyToken, ...others } = options;
      const { dni: isDni, prompted: isPrompted, recorded: isRecorded, ...rest } = others;
      const request = { accountId, originalNumber, poolType, propertyToken, isDni, isPrompted, isRecorded, ...rest };
      const pool = await invocation.client(PoolService).createPool(request);
      await showChangedPool(invocation, accountId, pool);
    })
    .examples(
      `${common} --type manual --dni --no-prompted --no-recorded`,
      `${common} --type automanaged --dni --prompted --recorded --property www --utilization 0.5`,
    );
}
