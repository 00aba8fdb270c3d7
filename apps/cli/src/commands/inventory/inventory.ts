import {
  InventoryService,
  TrackingNumberCountSchema,
  TrackingNumberSchema,
  TrackingNumberStateSchema,
} from "@calltrack/domain/gen/calltracking/v1/inventory_pb";
import { type Command, Option } from "commander";
import { listPages } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseCountOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import type { ResourceView } from "../../output/resource-view.js";
import type { Host } from "../../process/host.js";
import { findEnumNumber, listEnumNames } from "../../text/enum-name.js";
import { addInventoryImport } from "./inventory-import.js";

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

/** Defines the subcommands of `inventory`. */
export function defineInventory(inventory: Command, host: Host): void {
  addExamples(inventory, [
    "calltrack inventory import tracking-numbers.csv",
    "calltrack inventory count --area-code 415",
    "calltrack inventory list --state free --limit 10",
  ]);
  addInventoryImport(inventory, host);
  addList(inventory, host);
  addCount(inventory, host);
  addRetire(inventory, host);
}

interface ListOptions {
  readonly areaCode?: string;
  readonly state?: string;
  readonly limit?: number;
}

function addList(inventory: Command, host: Host): void {
  const list = addWatchOption(inventory.command("list"))
    .description("list the numbers of the inventory in numerical order")
    .option("--area-code <digits>", "only numbers of this area code")
    .addOption(
      new Option("--state <state>", "only numbers in this state").choices(listEnumNames(TrackingNumberStateSchema)),
    )
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, { areaCode, state, limit }: ListOptions) => {
        const client = invocation.client(InventoryService);
        const filter = { areaCode, state: findEnumNumber(TrackingNumberStateSchema, state) };
        const pages = listPages(
          (page) => client.listTrackingNumbers({ ...filter, ...page }, invocation.call),
          ({ trackingNumbers }) => trackingNumbers,
          limit,
        );
        await invocation.showList(trackingNumberView, pages);
      }),
    );
  addExamples(list, [
    "calltrack inventory list --area-code 415 --state free",
    "calltrack inventory list --output csv > inventory.csv",
  ]);
}

function addCount(inventory: Command, host: Host): void {
  const count = inventory
    .command("count")
    .description("count the numbers of the inventory by area code and state")
    .option("--area-code <digits>", "only numbers of this area code")
    .action(
      createAction(host, async (invocation, { areaCode }: Pick<ListOptions, "areaCode">) => {
        const client = invocation.client(InventoryService);
        const { counts } = await client.countTrackingNumbers({ areaCode }, invocation.call);
        await invocation.showList({ schema: TrackingNumberCountSchema }, [counts]);
      }),
    );
  addExamples(count, ["calltrack inventory count", "calltrack inventory count --area-code 415 --output json"]);
}

const retireHelp = `
The call tracker that holds the number is deleted once it is available or its
timeline of 30 days ends. In a manual pool, an active call tracker stays until
it is flagged: see "calltrack pools explain". Pools of a disabled account are
not managed until it is enabled, even with --immediately.
`;

function addRetire(inventory: Command, host: Host): void {
  const retire = inventory
    .command("retire")
    .description("retire a number for good; its source gets another number, and calls are tracked for 30 more days")
    .argument("<number>", "the number in E.164 format, such as +14155550142")
    .option("--immediately", "delete its call tracker right away, for example if the number gets spam calls")
    .action(
      createAction(host, async (invocation, phoneNumber: string, { immediately }: { immediately?: boolean }) => {
        const client = invocation.client(InventoryService);
        const request = { phoneNumber, immediately };
        await invocation.show(trackingNumberView, await client.retireTrackingNumber(request, invocation.call));
      }),
    )
    .addHelpText("after", retireHelp.trimEnd());
  addExamples(retire, [
    "calltrack inventory retire +14155550142",
    "calltrack inventory retire +14155550142 --immediately",
  ]);
}
