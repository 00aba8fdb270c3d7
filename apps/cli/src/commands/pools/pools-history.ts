import { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { listPages } from "../../connection/list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { pastChangeView } from "./pool-view.js";

export function addPoolsHistory(pools: CliCommand): void {
  pools
    .command("history")
    .description("list all changes to a pool's call trackers, oldest first")
    .poolArguments()
    .limitOption()
    .run(async (invocation, accountId: string, poolId: string, { limit }: { limit?: number }) => {
      const client = invocation.client(PoolService);
      const pages = listPages((page) => client.listPoolHistory({ accountId, poolId, ...page }), limit);
      await invocation.showList(pastChangeView, pages);
    })
    .examples(
      "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43",
      "calltrack pools history acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43 --output ndjson > history.jsonl",
    );
}
