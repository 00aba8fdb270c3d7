import {
  InventoryService,
  TrackingNumberCountSchema,
  TrackingNumberSchema,
  type TrackingNumberState,
  TrackingNumberStateSchema,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { createEnumOption } from "../../options/enum-option.js";
import type { ResourceView } from "../../output/resource-view.js";
import { addInventoryImportCommand } from "./inventory-import.js";

const trackingNumberView: ResourceView<typeof TrackingNumberSchema> = {
  schema: TrackingNumberSchema,
  expendable: [
    "call_tracker_id",
    "updated_at",
    "created_at",
    "pool_id",
    "phone_system_id",
    "account_id",
    "rests_until",
  ],
};

export function defineCommand(inventory: CliCommand): void {
  addInventoryImportCommand(inventory);
  addList(inventory);
  addCount(inventory);
  addRetire(inventory);
  inventory.subcommandExamples();
}

interface ListOptions {
  readonly areaCode?: string;
  readonly state?: TrackingNumberState;
  readonly limit?: number;
}

function addList(inventory: CliCommand): void {
  inventory
    .command("list")
    .watchOption()
    .description("list the numbers in the inventory, in numerical order")
    .option("--area-code <digits>", "only numbers with this area code")
    .addOption(createEnumOption("--state <state>", "only numbers in this state", TrackingNumberStateSchema))
    .limitOption()
    .run(async (invocation, { limit, ...filter }: ListOptions) => {
      const client = invocation.client(InventoryService);
      const pages = readListPages((page) => client.listTrackingNumbers({ ...filter, ...page }), limit);
      await invocation.showList(trackingNumberView, pages);
    })
    .examples(
      "calltrack inventory list --area-code 415 --state free",
      "calltrack inventory list --output csv > inventory.csv",
    );
}

function addCount(inventory: CliCommand): void {
  inventory
    .command("count")
    .description("count the numbers in the inventory by area code and state")
    .option("--area-code <digits>", "only numbers with this area code")
    .run(async (invocation, { areaCode }: Pick<ListOptions, "areaCode">) => {
      const { counts } = await invocation.client(InventoryService).countTrackingNumbers({ areaCode });
      await invocation.showList({ schema: TrackingNumberCountSchema }, [counts]);
    })
    .examples("calltrack inventory count", "calltrack inventory count --area-code 415 --output json");
}

const retireHelp = `
The number's call tracker is deleted once it is available, or once its grace period
(30 days, unless the server sets GRACE_PERIOD) has ended. In a manual pool, an active
call tracker is kept until it is flagged: see "calltrack pools explain". While the
account is disabled, its pools are not managed, even with --immediately.
`;

function addRetire(inventory: CliCommand): void {
  inventory
    .command("retire")
    .description(
      "retire a number permanently; calls to it are tracked until the grace period ends, and its source gets another number",
    )
    .argument("<number>", "the number in E.164 format, such as +14155550142")
    .option(
      "--immediately",
      "delete the number's call tracker without a grace period, for example if the number gets spam calls",
    )
    .run(async (invocation, phoneNumber: string, { immediately }: { immediately?: boolean }) => {
      const client = invocation.client(InventoryService);
      const request = { phoneNumber, immediately };
      await invocation.show(trackingNumberView, await client.retireTrackingNumber(request));
    })
    .addHelpText("after", retireHelp.trimEnd())
    .examples("calltrack inventory retire +14155550142", "calltrack inventory retire +14155550142 --immediately");
}
