import {
  type PhoneSystem,
  PhoneSystemKindSchema,
  PhoneSystemSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { Argument } from "commander";
import type { CliCommand } from "../../invocation/cli-command.js";
import { withDefault } from "../../options/describe-default.js";
import { rowFromMessage } from "../../output/output-row.js";
import { findEnumNumber, listEnumNames } from "../../text/enum-name.js";
import { addSecretFileOptions, readPhoneSystemSecrets, type SecretFileOptions } from "./secret-file-options.js";
import {
  addPhoneSystemSettingOptions,
  createPhoneSystemSettings,
  type PhoneSystemSettingOptions,
} from "./setting-options.js";

const createHelp = `
What to do next:
  At the provider, set voice_url as your numbers' URL for incoming calls, and
  status_url as their URL for status changes, both with POST. Save
  fallback_document there as a TwiML bin, and set its URL as the fallback URL: it
  rings the fallback number if Calltrack is unreachable. For sip, configure
  api_key and the URLs in your PBX. Then connect your numbers to the phone system:
  calltrack inventory import FILE --phone-system ID
`;

interface CreateOptions extends PhoneSystemSettingOptions, SecretFileOptions {
  readonly accountSid?: string;
}

export function addCreatePhoneSystemCommand(phoneSystems: CliCommand): void {
  const create = phoneSystems
    .command("create")
    .description("create a phone system, and show the URLs to configure in it; its API key, if any, is shown only once")
    .addArgument(new Argument("<kind>", "the provider, or sip for a PBX").choices(listEnumNames(PhoneSystemKindSchema)))
    .argument("<name>", "a name for the phone system")
    .requiredOption("--fallback <number>", "the number to dial if the destination of a call is unknown");
  addPhoneSystemSettingOptions(create, withDefault).option(
    "--account-sid <sid>",
    "the id of your account at the provider: Twilio's AccountSid, or SignalWire's project",
  );
  addSecretFileOptions(create)
    .run(async (invocation, kindName: string, name: string, options: CreateOptions) => {
      const kind = findEnumNumber(PhoneSystemKindSchema, kindName);
      const secrets = await readPhoneSystemSecrets(invocation.host, kind, options);
      const {
        allowedPrefixes = [],
        allowedSipHosts = [],
        capabilities = [],
        ...rules
      } = createPhoneSystemSettings(options);
      const request = {
        ...{ kind, name, accountSid: options.accountSid, allowedPrefixes, allowedSipHosts, capabilities },
        ...{ ...secrets, ...rules },
      };
      const { phoneSystem, apiKey, notices } = await invocation.client(PhoneSystemService).createPhoneSystem(request);
      const row = rowFromMessage(PhoneSystemSchema, phoneSystem as PhoneSystem);
      await invocation.showRow({ ...row, api_key: apiKey ?? null, notices });
    })
    .addHelpText("after", createHelp.trimEnd())
    .examples(
      "calltrack phone-systems create twilio Twilio --account-sid AC0123456789abcdef0123456789abcdef --fallback +14155550100 --secret-file token.txt",
      'calltrack phone-systems create sip "Main trunk" --fallback +493055501000 --country 49 --trunk-prefix 0',
    );
}
