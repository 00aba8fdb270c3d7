import { CallTrackerService, CallTrackerStatus } from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import type { Command } from "commander";
import { listPages, type PageRequest } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import type { Invocation } from "../../invocation/invocation.js";
import { addExamples } from "../../options/command-examples.js";
import { addEtagOption, addIfMatchOption, type EtagOption, type IfMatchOption } from "../../options/etag-options.js";
import { parseCountOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import type { Host } from "../../process/host.js";
import { callTrackerView } from "./call-tracker-view.js";

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
        await invocation.showList(callTrackerView, listPages(readCallTrackers(invocation, accountId, poolId), limit));
      }),
    );
  addExamples(list, [
    `calltrack trackers list acme ${POOL}`,
    `calltrack trackers list acme ${POOL} --limit 10 --output csv`,
  ]);
}

function readCallTrackers(invocation: Invocation, accountId: string, poolId: string) {
  const client = invocation.client(CallTrackerService);
  return async (request: PageRequest) => {
    const page = { accountId, poolId, ...request };
    const { callTrackers, nextPageToken } = await client.listCallTrackers(page, invocation.call);
    return { items: callTrackers, nextPageToken };
  };
}

/** Adds the arguments that identify a call tracker. */
function addTrackerArguments(command: Command): Command {
  return command
    .argument("<account>", "the account's token or id")
    .argument("<pool>", "the pool's id")
    .argument("<tracker>", "the call tracker's id");
}

function addGet(trackers: Command, host: Host): void {
  const command = addEtagOption(addTrackerArguments(trackers.command("get").description("show one call tracker")));
  const get = command.action(
    createAction(
      host,
      async (invocation, accountId: string, poolId: string, callTrackerId: string, options: EtagOption) => {
        const client = invocation.client(CallTrackerService);
        const found = await client.getCallTracker({ accountId, poolId, callTrackerId }, invocation.call);
        await invocation.showOrEtag(callTrackerView, found, options);
      },
    ),
  );
  addExamples(get, [`calltrack trackers get acme ${POOL} ${TRACKER}`]);
}

interface ActivateOptions extends IfMatchOption {
  readonly description?: string;
}

function addActivate(trackers: Command, host: Host): void {
  const description = "activate an available or flagged call tracker of a manual pool";
  const activate = addIfMatchOption(addTrackerArguments(trackers.command("activate").description(description)))
    .option("--description <text>", "its purpose (default: unchanged)")
    .action(
      createAction(
        host,
        async (
          invocation,
          accountId: string,
          poolId: string,
          callTrackerId: string,
          { description, ifMatch: etag }: ActivateOptions,
        ) => {
          const request = { accountId, poolId, callTrackerId, description, etag, status: CallTrackerStatus.ACTIVE };
          const client = invocation.client(CallTrackerService);
          await invocation.show(callTrackerView, await client.updateCallTracker(request, invocation.call));
        },
      ),
    );
  addExamples(activate, [
    `calltrack trackers activate acme ${POOL} ${TRACKER}`,
    `calltrack trackers activate acme ${POOL} ${TRACKER} --description "Spring leaflet"`,
  ]);
}

function addDescribe(trackers: Command, host: Host): void {
  const description = "describe a call tracker of a manual pool; an available one becomes active";
  const describe = addIfMatchOption(addTrackerArguments(trackers.command("describe").description(description)))
    .argument("<description>", "its purpose")
    .action(
      createAction(
        host,
        async (
          invocation,
          accountId: string,
          poolId: string,
          callTrackerId: string,
          description: string,
          { ifMatch: etag }: IfMatchOption,
        ) => {
          const request = { accountId, poolId, callTrackerId, description, etag };
          const client = invocation.client(CallTrackerService);
          await invocation.show(callTrackerView, await client.updateCallTracker(request, invocation.call));
        },
      ),
    );
  addExamples(describe, [`calltrack trackers describe acme ${POOL} ${TRACKER} "Old spring leaflet"`]);
}

function addFlag(trackers: Command, host: Host): void {
  const description = "flag an active call tracker of a manual pool; it is deleted after 30 days";
  const command = addIfMatchOption(addTrackerArguments(trackers.command("flag").description(description)));
  const flag = command.action(
    createAction(
      host,
      async (invocation, accountId: string, poolId: string, callTrackerId: string, options: IfMatchOption) => {
        const client = invocation.client(CallTrackerService);
        const request = { accountId, poolId, callTrackerId, etag: options.ifMatch };
        await invocation.show(callTrackerView, await client.flagCallTracker(request, invocation.call));
      },
    ),
  );
  addExamples(flag, [`calltrack trackers flag acme ${POOL} ${TRACKER}`]);
}
