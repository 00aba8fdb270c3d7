import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { Command } from "commander";
import { listPages } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseCountOption } from "../../options/option-value.js";
import type { Host } from "../../process/host.js";
import { pastChangeView } from "./pool-view.js";

/** Adds `pools history`. */
export function addPoolsHistory(pools: Command, host: Host): void {
  const history = pools
    .command("history")
    .description("list all changes to a pool's call trackers, oldest first")
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, accountId: string, poolId: string, { limit }: { limit?: number }) => {
        const client = invocation.client(PoolService);
        const pages = listPages(
          (page) => client.listPoolHistory({ accountId, poolId, ...page }, invocation.call),
          ({ changes }) => changes,
          limit,
        );
        await invocation.showList(pastChangeView, pages);
      }),
    );
  addExamples(history, [
    "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43",
    "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --output ndjson > history.jsonl",
  ]);
}
