import { randomBytes } from "node:crypto";
import type { Event } from "@calltrack/domain/gen/calltracking/v1/event_pb";
import { WebhookPayload } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import { signWebhookRequest } from "@calltrack/domain/webhook-signature";
import { findWebhookUrlProblem } from "@calltrack/domain/webhook-url";
import { InvalidArgumentError, Option } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import { withDefault } from "../../options/describe-default.js";
import { requireOptionValue } from "../../options/option-value.js";
import type { OutputRow } from "../../output/output-row.js";
import type { RowView } from "../../output/resource-view.js";
import {
  addEventStartOptions,
  createEventSelectionRequest,
  type EventSelectionOptions,
  printResumeHint,
} from "../events/event-options.js";
import { eventView } from "../events/event-view.js";
import { followEvents, RECONNECTION_HELP } from "../events/follow-events.js";
import type { AccountOption } from "./endpoint-arguments.js";
import { EventLogProgress } from "./event-log-progress.js";
import { postWebhook } from "./post-webhook.js";
import { runInOrderByKey } from "./run-in-order-by-key.js";
import { addEventTypeAndPayloadOptions } from "./setting-options.js";
import { createWebhookBody } from "./webhook-body.js";

/** Maximum number of concurrent requests. The server's default for a webhook endpoint is the same. */
const CONCURRENCY = 10;

/** Only the tested webhook endpoint gets events of this type. */
const TEST_TYPE = "webhook_endpoint.test";

/** The length of the secrets that the server generates. */
const SECRET_BYTES = 32;

const FIELDS = ["at", "type", "subject", "event_id", "status", "failure", "duration_ms"];

const resultView: RowView = {
  columns: ["at", "type", "subject", "result", "duration"],
  expendable: ["duration"],
  cells: {
    ...eventView.cells,
    at: "at",
    result: ({ status = null, failure = null }) => failure ?? status,
    duration: ({ duration_ms }) => `${duration_ms} ms`,
  },
};

interface ListenOptions extends AccountOption, EventSelectionOptions {
  readonly forwardTo: URL;
  readonly payload?: WebhookPayload;
  readonly secret?: string;
}

const listenHelp = `
Requests:
  The requests are the same as those to a webhook endpoint: an event as JSON, with a
  signature according to Standard Webhooks. Each event is sent only once: failed
  requests are not repeated. The events of one resource are sent in order, and those of
  up to 10 resources at the same time. Test events of webhook endpoints are not sent.
`;

export function addEndpointListenCommand(endpoints: CliCommand): void {
  const listen = endpoints
    .command("listen")
    .description("send events to a program on this machine as they happen, until Ctrl-C; needs no public URL")
    .requiredOption("--forward-to <url>", "the URL of the program, such as http://localhost:3000/webhooks", parseUrl)
    .option(
      "--account <account>",
      "the account's token or id (default: the events of all accounts, and events that belong to no account)",
    )
    .addOption(
      new Option(
        "--secret <secret>",
        "sign requests with this secret: whsec_ followed by base64 (default: a new secret)",
      )
        .env("CALLTRACK_WEBHOOK_SECRET")
        .argParser(parseSecret),
    );
  addEventStartOptions(addEventTypeAndPayloadOptions(listen, withDefault), "new events")
    .limitOption()
    .run(async (invocation, options: ListenOptions) => {
      const { forwardTo, account, type = [], payload = WebhookPayload.FULL, secret = createSecret() } = options;
      const { stop, drop } = invocation.host.interrupt;
      const request = await createEventSelectionRequest(invocation, account, {
        ...options,
        type: type.filter(Boolean),
      });
      const progress = new EventLogProgress();
      invocation.notify(`Secret that signs the requests: ${secret}\n`);

      async function* readEvents({ limit = Number.POSITIVE_INFINITY }): AsyncGenerator<ReceivedEvent, void> {
        let count = 0;
        let isConnected = false;
        for await (const { event, cursor } of followEvents(invocation, request)) {
          if (!isConnected) invocation.notify(`Connected: sending events to ${forwardTo} until Ctrl-C.\n`);
          isConnected = true;
          const setDone = progress.add(cursor);
          if (event === undefined || event.type === TEST_TYPE) {
            setDone();
            continue;
          }
          yield { event, setDone };
          if (++count === limit) return;
        }
      }

      async function forward({ event, setDone }: ReceivedEvent): Promise<OutputRow> {
        const { id, type, subject } = event;
        const body = createWebhookBody(event, payload);
        const at = new Date();
        const start = performance.now();
        const answer = await postWebhook(forwardTo, signWebhookRequest(id, at, body, [secret]), body, drop);
        // An interrupted event is not done: it is sent again if the user continues at the cursor.
        if (!drop.aborted) setDone();
        const result = { ...answer, duration_ms: Math.round(performance.now() - start) };
        return { at: at.toISOString(), type, subject, event_id: id, ...result };
      }

      const work = { keyOf: subjectOf, run: forward, concurrency: CONCURRENCY, stop };
      await invocation.showRowStream(resultView, FIELDS, runInOrderByKey(readEvents(options), work));
      if (progress.cursor !== undefined) printResumeHint(invocation, progress.cursor);
    }, "lines")
    .addHelpText("after", listenHelp.trimEnd())
    .addHelpText("after", RECONNECTION_HELP.trimEnd())
    .examples(
      "calltrack webhook-endpoints listen --forward-to http://localhost:3000/webhooks --account acme",
      'calltrack webhook-endpoints listen --forward-to http://localhost:3000/webhooks --type "call.*" --since 1h',
    );
}

interface ReceivedEvent {
  readonly event: Event;
  /** Must be called when the event's request has ended. */
  readonly setDone: () => void;
}

function subjectOf({ event }: ReceivedEvent): string {
  return event.subject;
}

function createSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

/**
 * Returns a secret in the format of Standard Webhooks 1.0: `whsec_`, and base64 of 24 to 64 bytes.
 *
 * @throws InvalidArgumentError if the text has another format.
 */
function parseSecret(text: string): string {
  const [, base64 = ""] = /^whsec_([\w+/]+=*)$/.exec(text) ?? [];
  const key = Buffer.from(base64, "base64");
  const isSecret = key.toString("base64") === base64 && key.length >= 24 && key.length <= 64;
  return requireOptionValue(isSecret ? text : undefined, "Must be whsec_ followed by the base64 of 24 to 64 bytes.");
}

function parseUrl(text: string): URL {
  const problem = findWebhookUrlProblem(text, true);
  if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
  return new URL(text);
}
