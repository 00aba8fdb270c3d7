import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import { parseIntegerOption, parseNumberOption } from "../option-value.js";
import { poolView } from "../resource-view.js";

interface UpdateOptions {
  readonly areaCode?: string;
  readonly size?: number;
  readonly utilization?: number;
}

/** Adds `pools update`. */
export function addPoolsUpdate(pools: Command, host: Host): void {
  const update = pools
    .command("update")
    .description("change the area code, the size or the utilization of a pool; what is not given stays as it is")
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .option("--area-code <digits>", "the area code of the call trackers")
    .option("--size <count>", "the most call trackers that the pool may hold", parseIntegerOption)
    .option("--utilization <share>", "the share of call trackers active at a time, 0 to 1", parseNumberOption)
    .action(
      createAction(host, async (invocation, accountId: string, poolId: string, options: UpdateOptions) => {
        const request = { accountId, poolId, ...options };
        await invocation.show(poolView, await invocation.client(PoolService).updatePool(request, invocation.call));
      }),
    );
  addExamples(update, [
    "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --size 20",
    "calltrack pools update acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --area-code 628 --utilization 0.75",
  ]);
}
