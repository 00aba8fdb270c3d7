import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  CallTrackerSchema,
  CallTrackerService,
  CallTrackerStatus,
  type UpdateCallTrackerRequestSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Command } from "commander";
import { listPages } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import type { Invocation } from "../../invocation/invocation.js";
import { addExamples } from "../../options/command-examples.js";
import { addEtagOption, addIfMatchOption, type EtagOption, type IfMatchOption } from "../../options/etag-options.js";
import { parseCountOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import { type ResourceView, sourceCell } from "../../output/resource-view.js";
import type { Host } from "../../process/host.js";

/** Lists omit the pool and the original number, which all call trackers of a pool share. */
const callTrackerView: ResourceView<typeof CallTrackerSchema> = {
  schema: CallTrackerSchema,
  expendable: ["created_at", "description", "dropped_at", "id"],
  columns: ["id", "number", "status", "source", "description", "created_at", "dropped_at"],
  cells: { number: "tracking_number", source: sourceCell },
};

const POOL = "0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43";
const TRACKER = "0196f2d5-1f07-7c55-a1b2-93d0c4e5f607";

/** Defines the subcommands of `trackers`. */
export function defineTrackers(trackers: Command, host: Host): void {
  addExamples(trackers, [
    `calltrack trackers list acme ${POOL}`,
    `calltrack trackers activate acme ${POOL} ${TRACKER} --description "Spring leaflet"`,
  ]);
  addList(trackers, host);
  addGet(trackers, host);
  addActivate(trackers, host);
  addDescribe(trackers, host);
  addFlag(trackers, host);
}

function addList(trackers: Command, host: Host): void {
  const list = addWatchOption(trackers.command("list"))
    .description("list the call trackers of a pool, oldest first")
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, accountId: string, poolId: string, { limit }: { limit?: number }) => {
        const client = invocation.client(CallTrackerService);
        const pages = listPages(
          (page) => client.listCallTrackers({ accountId, poolId, ...page }, invocation.call),
          ({ callTrackers }) => callTrackers,
          limit,
        );
        await invocation.showList(callTrackerView, pages);
      }),
    );
  addExamples(list, [
    `calltrack trackers list acme ${POOL}`,
    `calltrack trackers list acme ${POOL} --limit 10 --output csv`,
  ]);
}

/** The fields of requests that name a call tracker. */
interface TrackerName {
  readonly accountId: string;
  readonly poolId: string;
  readonly callTrackerId: string;
}

/** Adds a subcommand on one call tracker. */
function addTrackerCommand<Inputs extends unknown[]>(
  command: Command,
  host: Host,
  run: (invocation: Invocation, tracker: TrackerName, ...inputs: Inputs) => Promise<void>,
): void {
  command.action(
    createAction(
      host,
      (invocation, accountId: string, poolId: string, callTrackerId: string, ...inputs: Inputs): Promise<void> =>
        run(invocation, { accountId, poolId, callTrackerId }, ...inputs),
    ),
  );
}

/** Adds the arguments that name a call tracker. */
function addTrackerArguments(command: Command): Command {
  return command
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .argument("<tracker>", "the call tracker's id");
}

function addGet(trackers: Command, host: Host): void {
  const get = addEtagOption(addTrackerArguments(trackers.command("get").description("show one call tracker")));
  addTrackerCommand(get, host, async (invocation, tracker, options: EtagOption) => {
    const found = await invocation.client(CallTrackerService).getCallTracker(tracker, invocation.call);
    await invocation.showOrEtag(callTrackerView, found, options);
  });
  addExamples(get, [`calltrack trackers get acme ${POOL} ${TRACKER}`]);
}

interface ActivateOptions extends IfMatchOption {
  readonly description?: string;
}

function addActivate(trackers: Command, host: Host): void {
  const description = "activate an available or flagged call tracker of a manual pool";
  const activate = addIfMatchOption(addTrackerArguments(trackers.command("activate").description(description)));
  activate.option("--description <text>", "its purpose (default: unchanged)");
  addTrackerCommand(activate, host, async (invocation, tracker, { description, ifMatch: etag }: ActivateOptions) => {
    await updateTracker(invocation, { ...tracker, description, etag, status: CallTrackerStatus.ACTIVE });
  });
  addExamples(activate, [
    `calltrack trackers activate acme ${POOL} ${TRACKER}`,
    `calltrack trackers activate acme ${POOL} ${TRACKER} --description "Spring leaflet"`,
  ]);
}

function addDescribe(trackers: Command, host: Host): void {
  const description = "describe a call tracker of a manual pool; an available one becomes active";
  const describe = addIfMatchOption(addTrackerArguments(trackers.command("describe").description(description)));
  describe.argument("<description>", "its purpose");
  addTrackerCommand(describe, host, async (invocation, tracker, description: string, options: IfMatchOption) => {
    await updateTracker(invocation, { ...tracker, description, etag: options.ifMatch });
  });
  addExamples(describe, [`calltrack trackers describe acme ${POOL} ${TRACKER} "Old spring leaflet"`]);
}

async function updateTracker(
  invocation: Invocation,
  request: MessageInitShape<typeof UpdateCallTrackerRequestSchema>,
): Promise<void> {
  const client = invocation.client(CallTrackerService);
  await invocation.show(callTrackerView, await client.updateCallTracker(request, invocation.call));
}

function addFlag(trackers: Command, host: Host): void {
  const description = "flag an active call tracker of a manual pool; it is deleted after 30 days";
  const flag = addIfMatchOption(addTrackerArguments(trackers.command("flag").description(description)));
  addTrackerCommand(flag, host, async (invocation, tracker, { ifMatch: etag }: IfMatchOption) => {
    const client = invocation.client(CallTrackerService);
    await invocation.show(callTrackerView, await client.flagCallTracker({ ...tracker, etag }, invocation.call));
  });
  addExamples(flag, [`calltrack trackers flag acme ${POOL} ${TRACKER}`]);
}
