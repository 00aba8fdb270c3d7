import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { pastTrackerChangeView } from "./pool-view.js";

export function addPoolsHistoryCommand(pools: CliCommand): void {
  pools
    .command("history")
    .description("list all changes to a pool's call trackers, oldest first")
    .poolArguments()
    .limitOption()
    .run(async (invocation, accountId: string, poolId: string, { limit }: { limit?: number }) => {
      const client = invocation.client(PoolService);
      const pages = readListPages((page) => client.listPoolHistory({ accountId, poolId, ...page }), limit);
      await invocation.showList(pastTrackerChangeView, pages);
    })
    .examples(
      "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43",
      "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --output ndjson > history.jsonl",
    );
}
