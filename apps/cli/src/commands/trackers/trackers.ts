import {
  CallTrackerSchema,
  CallTrackerService,
  CallTrackerStatus,
} from "@calltrack/domain/gen/calltracking/v1/call_tracker_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import { formatSourceCell, type ResourceView } from "../../output/resource-view.js";

/** Tables omit the pool and the original number, which all call trackers of a pool share. */
const callTrackerView: ResourceView<typeof CallTrackerSchema> = {
  schema: CallTrackerSchema,
  expendable: ["created_at", "description", "dropped_at", "id"],
  columns: ["id", "number", "status", "source", "description", "created_at", "dropped_at"],
  cells: { number: "tracking_number", source: formatSourceCell },
};

const POOL = "0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43";
const TRACKER = "0196f2d5-1f07-7c55-a1b2-93d0c4e5f607";

export function defineCommand(trackers: CliCommand): void {
  addList(trackers);
  addGet(trackers);
  addActivate(trackers);
  addDescribe(trackers);
  addFlag(trackers);
  trackers.subcommandExamples();
}

function addList(trackers: CliCommand): void {
  trackers
    .command("list")
    .watchOption()
    .description("list the call trackers of a pool, oldest first")
    .poolArguments()
    .limitOption()
    .run(async (invocation, accountId: string, poolId: string, { limit }: { limit?: number }) => {
      const client = invocation.client(CallTrackerService);
      const pages = readListPages((page) => client.listCallTrackers({ accountId, poolId, ...page }), limit);
      await invocation.showList(callTrackerView, pages);
    })
    .examples(`calltrack trackers list acme ${POOL}`, `calltrack trackers list acme ${POOL} --limit 10 --output csv`);
}

function addGet(trackers: CliCommand): void {
  addTrackerCommand(trackers, "get")
    .description("show one call tracker")
    .etagOption()
    .run(async (invocation, accountId: string, poolId: string, callTrackerId: string, options: EtagOption) => {
      const found = await invocation.client(CallTrackerService).getCallTracker({ accountId, poolId, callTrackerId });
      await invocation.showOrEtag(callTrackerView, found, options);
    })
    .examples(`calltrack trackers get acme ${POOL} ${TRACKER}`);
}

interface UpdateOptions extends IfMatchOption {
  readonly description?: string;
}

function addActivate(trackers: CliCommand): void {
  addTrackerCommand(trackers, "activate")
    .description("activate an available or flagged call tracker of a manual pool")
    .ifMatchOption()
    .option("--description <text>", "a note on the call tracker's purpose (default: unchanged)")
    .run(async (invocation, accountId: string, poolId: string, callTrackerId: string, options: UpdateOptions) => {
      const { description, ifMatch: etag } = options;
      const request = { accountId, poolId, callTrackerId, description, etag, status: CallTrackerStatus.ACTIVE };
      const client = invocation.client(CallTrackerService);
      await invocation.show(callTrackerView, await client.updateCallTracker(request));
    })
    .examples(
      `calltrack trackers activate acme ${POOL} ${TRACKER}`,
      `calltrack trackers activate acme ${POOL} ${TRACKER} --description "Spring leaflet"`,
    );
}

function addDescribe(trackers: CliCommand): void {
  addTrackerCommand(trackers, "describe")
    .description("set the description of a call tracker of a manual pool; an available call tracker becomes active")
    .ifMatchOption()
    .argument("<description>", "a note on the call tracker's purpose")
    .run(
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
        await invocation.show(callTrackerView, await client.updateCallTracker(request));
      },
    )
    .examples(`calltrack trackers describe acme ${POOL} ${TRACKER} "Old spring leaflet"`);
}

function addFlag(trackers: CliCommand): void {
  addTrackerCommand(trackers, "flag")
    .description(
      "flag an active call tracker of a manual pool; the call tracker is deleted after the server's grace period, by default 30 days",
    )
    .ifMatchOption()
    .run(async (invocation, accountId: string, poolId: string, callTrackerId: string, { ifMatch }: IfMatchOption) => {
      const request = { accountId, poolId, callTrackerId, etag: ifMatch };
      await invocation.show(callTrackerView, await invocation.client(CallTrackerService).flagCallTracker(request));
    })
    .examples(`calltrack trackers flag acme ${POOL} ${TRACKER}`);
}

function addTrackerCommand(trackers: CliCommand, name: string): CliCommand {
  return trackers.command(name).poolArguments().argument("<tracker>", "the call tracker's id");
}
