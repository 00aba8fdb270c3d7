import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { AuditService } from "@calltrack/domain/gen/calltracking/v1/audit_pb";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import { createAction } from "../create-action.js";
import type { Host } from "../host.js";
import type { Invocation } from "../invocation.js";
import { listPages, type PageRequest } from "../list-pages.js";
import { parsePastOption } from "../moment-option.js";
import { parseCountOption } from "../option-value.js";
import { auditEntryView } from "../views/audit-view.js";
import { addWatchOption } from "../watch.js";

interface ListOptions {
  readonly resource?: string;
  readonly actor?: string;
  readonly since?: Timestamp;
  readonly until?: Timestamp;
  readonly limit?: number;
}

/** Gives `audit` the command that shows who changed what. */
export function defineAudit(audit: Command, host: Host): void {
  const list = addWatchOption(audit.command("list"))
    .description("list the changes of an account, or of what is of none, newest first")
    .argument("[account]", "the account's token or id (default: what is of no account, or the key's own account)")
    .option("--resource <id>", "only changes of what has this id, or of the tracking number with these digits")
    .option("--actor <id>", "only changes by the key with this id, or by the subject of an access token")
    .option("--since <time>", "only changes from then on, such as 30d ago or 2026-11-20T00:00:00Z", parsePastOption)
    .option("--until <time>", "only changes before then, such as 1d ago or 2026-11-21T00:00:00Z", parsePastOption)
    .option("--limit <count>", "show no more than this many", parseCountOption)
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
