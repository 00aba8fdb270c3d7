import {
  type PhoneSystem,
  PhoneSystemFindingSchema,
  PhoneSystemSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { readListPages } from "../../connection/read-list-pages.js";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import { withoutDefault } from "../../options/describe-default.js";
import { parseOverlapOption } from "../../options/option-value.js";
import { rowFromMessage } from "../../output/output-row.js";
import type { ResourceView } from "../../output/resource-view.js";
import { FailedCheckError } from "../../process/failed-check-error.js";
import { addCreatePhoneSystemCommand } from "./phone-systems-create.js";
import { addSecretFileOptions, readPhoneSystemSecrets, type SecretFileOptions } from "./secret-file-options.js";
import {
  addPhoneSystemSettingOptions,
  createPhoneSystemSettings,
  type PhoneSystemSettingOptions,
} from "./setting-options.js";

const EXAMPLE_ID = "0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43";

const phoneSystemView: ResourceView<typeof PhoneSystemSchema> = {
  schema: PhoneSystemSchema,
  columns: ["id", "name", "kind", "is_active", "fallback_number", "voice_url"],
  expendable: ["voice_url", "fallback_number"],
};

export function defineCommand(phoneSystems: CliCommand): void {
  addCreatePhoneSystemCommand(phoneSystems);
  addGet(phoneSystems);
  addList(phoneSystems);
  addUpdate(phoneSystems);
  addSetActive(phoneSystems, { name: "disable", isActive: false });
  addSetActive(phoneSystems, { name: "enable", isActive: true });
  addRotate(phoneSystems);
  addCheck(phoneSystems);
  phoneSystems.subcommandExamples();
}

function addGet(phoneSystems: CliCommand): void {
  phoneSystems
    .command("get")
    .description("show one phone system, without its secrets")
    .etagOption()
    .argument("<id>", "the phone system's id")
    .run(async (invocation, phoneSystemId: string, options: EtagOption) => {
      const found = await invocation.client(PhoneSystemService).getPhoneSystem({ phoneSystemId });
      await invocation.showOrEtag(phoneSystemView, found, options);
    })
    .examples(`calltrack phone-systems get ${EXAMPLE_ID}`);
}

function addList(phoneSystems: CliCommand): void {
  phoneSystems
    .command("list")
    .watchOption()
    .description("list all phone systems, including disabled ones, oldest first")
    .limitOption()
    .run(async (invocation, { limit }: { readonly limit?: number }) => {
      const client = invocation.client(PhoneSystemService);
      const pages = readListPages((page) => client.listPhoneSystems(page), limit);
      await invocation.showList(phoneSystemView, pages);
    })
    .examples("calltrack phone-systems list", "calltrack phone-systems list --output json");
}

function addUpdate(phoneSystems: CliCommand): void {
  const update = phoneSystems
    .command("update")
    .description("change a phone system; omitted options leave values unchanged")
    .argument("<id>", "the phone system's id")
    .option("--name <name>", "a name for the phone system")
    .option("--fallback <number>", "the number to dial if the destination of a call is unknown");
  addPhoneSystemSettingOptions(update, withoutDefault)
    .ifMatchOption()
    .run(
      async (
        invocation,
        phoneSystemId: string,
        options: PhoneSystemSettingOptions & IfMatchOption & { readonly name?: string },
      ) => {
        const {
          allowedPrefixes: prefixes,
          allowedSipHosts: hosts,
          capabilities,
          ...rules
        } = createPhoneSystemSettings(options);
        const request = {
          ...{ phoneSystemId, name: options.name, etag: options.ifMatch, ...rules },
          allowedPrefixes: prefixes && { prefixes },
          allowedSipHosts: hosts && { hosts },
          capabilities: capabilities && { capabilities },
        };
        const client = invocation.client(PhoneSystemService);
        await invocation.show(phoneSystemView, await client.updatePhoneSystem(request));
      },
    )
    .examples(
      `calltrack phone-systems update ${EXAMPLE_ID} --fallback +14155550199`,
      `calltrack phone-systems update ${EXAMPLE_ID} --allow +1 +44`,
    );
}

function addSetActive(phoneSystems: CliCommand, { name, isActive }: { name: string; isActive: boolean }): void {
  phoneSystems
    .command(name)
    .description(
      isActive
        ? "enable a phone system: answer its webhooks again"
        : "disable a phone system: reject its webhooks with status 403, so that its fallback URL applies",
    )
    .ifMatchOption()
    .argument("<id>", "the phone system's id")
    .run(async (invocation, phoneSystemId: string, { ifMatch: etag }: IfMatchOption) => {
      const client = invocation.client(PhoneSystemService);
      const request = { phoneSystemId, isActive, etag };
      await invocation.show(phoneSystemView, await client.updatePhoneSystem(request));
    })
    .examples(`calltrack phone-systems ${name} ${EXAMPLE_ID}`);
}

function addRotate(phoneSystems: CliCommand): void {
  const rotate = phoneSystems
    .command("rotate")
    .description("add a new credential; the earlier credentials stay valid for the duration of --overlap")
    .argument("<id>", "the phone system's id")
    .option(
      "--overlap <time>",
      "how long the earlier credentials stay valid, 0s to 7d (default: 24h)",
      parseOverlapOption,
    );
  addSecretFileOptions(rotate)
    .run(async (invocation, phoneSystemId: string, options: SecretFileOptions & { readonly overlap?: number }) => {
      const client = invocation.client(PhoneSystemService);
      const { kind } = await client.getPhoneSystem({ phoneSystemId });
      const secrets = await readPhoneSystemSecrets(invocation.host, kind, options);
      const request = { phoneSystemId, ...secrets, overlapSeconds: options.overlap };
      const { phoneSystem, apiKey } = await client.rotatePhoneSystemCredentials(request);
      const row = rowFromMessage(PhoneSystemSchema, phoneSystem as PhoneSystem);
      await invocation.showRow({ ...row, api_key: apiKey ?? null });
    })
    .examples(
      `calltrack phone-systems rotate ${EXAMPLE_ID} --overlap 1h`,
      `calltrack phone-systems rotate ${EXAMPLE_ID} < token.txt`,
    );
}

/** The name of the check whose findings list facts that only a person can verify. Its findings do not count as failures. */
const BY_HAND = "by_hand";

function addCheck(phoneSystems: CliCommand): void {
  phoneSystems
    .command("check")
    .description(
      "call the webhooks of a phone system as the phone system would, and show what is wrong; records no call",
    )
    .argument("<id>", "the phone system's id")
    .run(async (invocation, phoneSystemId: string) => {
      const { findings } = await invocation.client(PhoneSystemService).checkPhoneSystem({ phoneSystemId });
      await invocation.showList({ schema: PhoneSystemFindingSchema }, [findings]);
      const failed = findings.filter((finding) => !finding.isPassed && finding.check !== BY_HAND);
      if (failed.length > 0)
        throw new FailedCheckError(`failed checks: ${failed.map(({ check }) => check).join(", ")}`);
    })
    .examples(`calltrack phone-systems check ${EXAMPLE_ID}`);
}
