import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { CliCommand, IfMatchOption } from "../../invocation/cli-command.js";
import { parseIntegerOption, parseNumberOption } from "../../options/option-value.js";
import { showPoolPlan } from "./pool-plan.js";
import { showChangedPool } from "./show-pools.js";

interface UpdateOptions extends IfMatchOption {
  readonly areaCode?: string;
  readonly size?: number;
  readonly utilization?: number;
  readonly plan?: boolean;
}

const planHelp = `
With --plan:
  The plan shows each change to a call tracker, with its time and reason. "anyway"
  says whether the change would happen even without the update. The plan assumes
  that the visits of each source stay the same. --output json prints the plan as one
  object, and csv prints only the changes.
`;

export function addPoolsUpdateCommand(pools: CliCommand): void {
  const description = "update a pool's area code, size or utilization; omitted options leave values unchanged";
  pools
    .command("update")
    .description(description)
    .ifMatchOption()
    .poolArguments()
    .option("--area-code <digits>", "the area code of new tracking numbers")
    .option("--size <count>", "the maximum number of call trackers", parseIntegerOption)
    .option(
      "--utilization <share>",
      "maximum number of active call trackers as a share of the size, 0 to 1",
      parseNumberOption,
    )
    .option("--plan", "dry run: show what the update would do to the call trackers, and when")
    .run(async (invocation, accountId: string, poolId: string, options: UpdateOptions) => {
      const { plan, ifMatch: etag, ...changes } = options;
      const client = invocation.client(PoolService);
      const request = { accountId, poolId, ...changes };
      if (plan) await showPoolPlan(invocation, await client.planPoolUpdate(request));
      else await showChangedPool(invocation, accountId, await client.updatePool({ ...request, etag }));
    })
    .addHelpText("after", planHelp.trimEnd())
    .examples(
      "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --size 20",
      "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --size 5 --plan",
      'calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --size 5 --if-match "$ETAG"',
      "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --area-code 628 --utilization 0.75",
    );
}
