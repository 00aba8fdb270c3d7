import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Command } from "commander";
import { listPages, type PageRequest } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import type { Invocation } from "../../invocation/invocation.js";
import { addExamples } from "../../options/command-examples.js";
import { parseCountOption } from "../../options/option-value.js";
import { parsePastOption } from "../../options/time-option.js";
import { addWatchOption } from "../../options/watch.js";
import type { Host } from "../../process/host.js";
import { auditEntryView } from "./audit-view.js";

interface ListOptions {
  readonly resource?: string;
  readonly actor?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly limit?: number;
}

/** Defines the subcommands of `audit`. */
export function defineAudit(audit: Command, host: Host): void {
  const list = addWatchOption(audit.command("list"))
    .description(
      "list the changes to an account's resources, newest first; without an account, those that belong to none",
    )
    .argument("[account]", "the account's token or id (default: the account of your key, if it has one)")
    .option("--resource <id>", "only changes to the resource with this id, or to this tracking number")
    .option("--actor <id>", "only changes by this API key id or access token subject")
    .option("--since <time>", "only changes since this time, such as 30d ago or 2026-11-20T00:00:00Z", parsePastOption)
    .option("--until <time>", "only changes before this time, such as 1d ago or 2026-11-21T00:00:00Z", parsePastOption)
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, accountId: string | undefined, { limit, ...filter }: ListOptions) => {
        await invocation.showList(auditEntryView, listPages(readEntries(invocation, accountId, filter), limit));
      }),
    );
  const examples = ["calltrack audit list acme --since 30d", "calltrack audit list --resource +12225550101"];
  addExamples(audit, examples);
  addExamples(list, [...examples, "calltrack audit list acme --output ndjson > changes.jsonl"]);
}

function readEntries(invocation: Invocation, accountId: string | undefined, filter: ListOptions) {
  const client = invocation.client(AuditService);
  const { resource: resourceId, actor: actorId, since, until } = filter;
  return async (page: PageRequest) => {
    const request = { accountId, resourceId, actorId, since, until, ...page };
    const { auditEntries, nextPageToken } = await client.listAuditEntries(request, invocation.call);
    return { items: auditEntries, nextPageToken };
  };
}
