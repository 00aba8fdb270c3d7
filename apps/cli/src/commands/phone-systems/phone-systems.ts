import {
  type PhoneSystem,
  PhoneSystemFindingSchema,
  PhoneSystemSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { Command } from "commander";
import { listPages } from "../../connection/list-pages.js";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { addEtagOption, addIfMatchOption, type EtagOption, type IfMatchOption } from "../../options/etag-options.js";
import { parseCountOption, parseDurationOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import { rowFromMessage } from "../../output/resource-row.js";
import type { ResourceView } from "../../output/resource-view.js";
import { FailedCheckError } from "../../process/failed-check-error.js";
import type { Host } from "../../process/host.js";
import { addCreate } from "./phone-systems-create.js";
import { addRuleOptions, type RuleOptions, rulesOf } from "./rule-options.js";
import { addSecretOptions, readSecrets, type SecretOptions } from "./secret-options.js";

const EXAMPLE_ID = "0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43";

const phoneSystemView: ResourceView<typeof PhoneSystemSchema> = {
  schema: PhoneSystemSchema,
  columns: ["id", "name", "kind", "is_active", "fallback_number", "voice_url"],
  expendable: ["voice_url", "fallback_number"],
};

/** Defines the subcommands of `phone-systems`. */
export function definePhoneSystems(phoneSystems: Command, host: Host): void {
  addExamples(phoneSystems, [
    'calltrack phone-systems create sip "Main trunk" --fallback +14155550100 --can prompt whisper recording',
    "calltrack phone-systems list",
    `calltrack phone-systems check ${EXAMPLE_ID}`,
  ]);
  addCreate(phoneSystems, host);
  addGet(phoneSystems, host);
  addList(phoneSystems, host);
  addUpdate(phoneSystems, host);
  addSetActive(phoneSystems, host, { name: "disable", isActive: false });
  addSetActive(phoneSystems, host, { name: "enable", isActive: true });
  addRotate(phoneSystems, host);
  addCheck(phoneSystems, host);
}

function addGet(phoneSystems: Command, host: Host): void {
  const get = addEtagOption(phoneSystems.command("get").description("show one phone system without its secrets"))
    .argument("<id>", "the phone system's id")
    .action(
      createAction(host, async (invocation, phoneSystemId: string, options: EtagOption) => {
        const client = invocation.client(PhoneSystemService);
        const found = await client.getPhoneSystem({ phoneSystemId }, invocation.call);
        await invocation.showOrEtag(phoneSystemView, found, options);
      }),
    );
  addExamples(get, [`calltrack phone-systems get ${EXAMPLE_ID}`]);
}

function addList(phoneSystems: Command, host: Host): void {
  const list = addWatchOption(phoneSystems.command("list"))
    .description("list all phone systems, including disabled ones, oldest first")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, { limit }: { readonly limit?: number }) => {
        const client = invocation.client(PhoneSystemService);
        const pages = listPages(
          (page) => client.listPhoneSystems(page, invocation.call),
          (response) => response.phoneSystems,
          limit,
        );
        await invocation.showList(phoneSystemView, pages);
      }),
    );
  addExamples(list, ["calltrack phone-systems list", "calltrack phone-systems list --output json"]);
}

function addUpdate(phoneSystems: Command, host: Host): void {
  const update = addIfMatchOption(
    addRuleOptions(
      phoneSystems
        .command("update")
        .description("change a phone system; options that are left out keep their values")
        .argument("<id>", "the phone system's id")
        .option("--name <name>", "its name, for people")
        .option("--fallback <number>", "the number to dial if the destination of a call is unknown"),
    ),
  ).action(
    createAction(
      host,
      async (invocation, phoneSystemId: string, options: RuleOptions & IfMatchOption & { readonly name?: string }) => {
        const { allowedPrefixes: prefixes, capabilities, ...rules } = rulesOf(options);
        const request = {
          ...{ phoneSystemId, name: options.name, etag: options.ifMatch, ...rules },
          allowedPrefixes: prefixes && { prefixes },
          capabilities: capabilities && { capabilities },
        };
        const client = invocation.client(PhoneSystemService);
        await invocation.show(phoneSystemView, await client.updatePhoneSystem(request, invocation.call));
      },
    ),
  );
  addExamples(update, [
    `calltrack phone-systems update ${EXAMPLE_ID} --fallback +14155550199`,
    `calltrack phone-systems update ${EXAMPLE_ID} --allow +1 +44`,
  ]);
}

function addSetActive(
  phoneSystems: Command,
  host: Host,
  { name, isActive }: { name: string; isActive: boolean },
): void {
  const what = isActive ? "answer its webhooks again" : "answer its webhooks with 403, so that its own fallback rings";
  const setActive = addIfMatchOption(phoneSystems.command(name).description(what))
    .argument("<id>", "the phone system's id")
    .action(
      createAction(host, async (invocation, phoneSystemId: string, { ifMatch: etag }: IfMatchOption) => {
        const client = invocation.client(PhoneSystemService);
        const request = { phoneSystemId, isActive, etag };
        await invocation.show(phoneSystemView, await client.updatePhoneSystem(request, invocation.call));
      }),
    );
  addExamples(setActive, [`calltrack phone-systems ${name} ${EXAMPLE_ID}`]);
}

function addRotate(phoneSystems: Command, host: Host): void {
  const rotate = addSecretOptions(
    phoneSystems
      .command("rotate")
      .description("add a new credential; the earlier ones stay valid for an overlap")
      .argument("<id>", "the phone system's id")
      .option("--overlap <time>", "how long the earlier ones stay valid, 0s to 7d (default: 24h)", parseOverlapOption),
  ).action(
    createAction(
      host,
      async (invocation, phoneSystemId: string, options: SecretOptions & { readonly overlap?: number }) => {
        const client = invocation.client(PhoneSystemService);
        const { kind } = await client.getPhoneSystem({ phoneSystemId }, invocation.call);
        const secrets = await readSecrets(host, kind, options);
        const request = { phoneSystemId, ...secrets, overlapSeconds: options.overlap };
        const { phoneSystem, apiKey } = await client.rotatePhoneSystemCredentials(request, invocation.call);
        const row = rowFromMessage(PhoneSystemSchema, phoneSystem as PhoneSystem);
        await invocation.showRow({ ...row, api_key: apiKey ?? null });
      },
    ),
  );
  addExamples(rotate, [
    `calltrack phone-systems rotate ${EXAMPLE_ID} --overlap 1h`,
    `calltrack phone-systems rotate ${EXAMPLE_ID} < token.txt`,
  ]);
}

/** Parses an overlap into seconds. */
function parseOverlapOption(text: string): number {
  return text === "0s" ? 0 : Math.ceil(parseDurationOption(text) / 1000);
}

/** The findings that tell what only a person can check. */
const BY_HAND = "by_hand";

function addCheck(phoneSystems: Command, host: Host): void {
  const check = phoneSystems
    .command("check")
    .description("call the webhooks as the phone system would, and say what is wrong; leaves no call behind")
    .argument("<id>", "the phone system's id")
    .action(
      createAction(host, async (invocation, phoneSystemId: string) => {
        const client = invocation.client(PhoneSystemService);
        const { findings } = await client.checkPhoneSystem({ phoneSystemId }, invocation.call);
        await invocation.showList({ schema: PhoneSystemFindingSchema }, [findings]);
        const failed = findings.filter((finding) => !finding.isPassed && finding.check !== BY_HAND);
        if (failed.length > 0) throw new FailedCheckError(failed.map((finding) => finding.check));
      }),
    );
  addExamples(check, [`calltrack phone-systems check ${EXAMPLE_ID}`]);
}
