import { clearField, create, type DescField } from "@bufbuild/protobuf";
import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import {
  type CallFlow,
  CallFlowSchema,
  CallFlowService,
  type CallFlowSettings,
  CallFlowSettingsSchema,
  type PromptMode,
  PromptModeSchema,
  type RecordingMode,
  RecordingModeSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { inheritCallFlowSettings } from "@calltrack/domain/inherited-call-flow-settings";
import type { CliCommand, EtagOption, IfMatchOption } from "../../invocation/cli-command.js";
import type { Invocation } from "../../invocation/invocation.js";
import { createEnumOption } from "../../options/enum-option.js";
import { parseIntegerOption, requireOptionValue } from "../../options/option-value.js";
import { type OutputCell, type OutputRow, rowFromMessage } from "../../output/output-row.js";
import { UsageError } from "../../process/usage-error.js";
import { readCallFlowSettingsFile } from "./settings-file.js";

const POOL = "0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43";

export function defineCommand(callFlows: CliCommand): void {
  addGet(callFlows);
  addSet(callFlows);
  addReset(callFlows);
  callFlows.subcommandExamples();
}

interface FlowOptions {
  readonly default?: boolean;
}

/** Names the call flow of a pool, or the default call flow of an account. */
interface FlowName {
  readonly accountId: string;
  /** Undefined for the default call flow. */
  readonly poolId: string | undefined;
}

function addGet(callFlows: CliCommand): void {
  addFlowCommand(callFlows, "get")
    .description(
      "show the settings that apply to calls to a pool: each setting comes from the pool, otherwise from the account's default call flow, otherwise from the built-in defaults",
    )
    .etagOption()
    .run(async (invocation, accountId: string, poolId: string | undefined, options: FlowOptions & EtagOption) => {
      const flow = await getFlow(invocation, requireFlowName(accountId, poolId, options));
      if (options.etag) await invocation.showOrEtag({ schema: CallFlowSchema }, flow, options);
      else await showFlow(invocation, flow);
    })
    .examples(`calltrack call-flows get acme ${POOL}`, "calltrack call-flows get acme --default");
}

interface SetOptions extends FlowOptions, IfMatchOption {
  readonly prompt?: PromptMode;
  readonly promptText?: string;
  readonly promptUrl?: string;
  readonly language?: string;
  readonly whisperText?: string;
  readonly acceptDigit?: string;
  readonly ringSeconds?: number;
  readonly fallbackNumber?: string;
  readonly callerId?: string;
  readonly recording?: RecordingMode;
  readonly maxMinutes?: number;
  readonly closedText?: string;
  readonly unset?: readonly DescField[];
  readonly fromFile?: string;
}

const fileHelp = `
With --from-file:
  The file replaces all settings. It contains a JSON object like the "settings"
  that "call-flows get --output json" shows. Opening hours are:
    {"hours": {"time_zone": "Europe/Berlin", "periods": [
      {"days": ["monday", "friday"], "opens": "09:00", "closes": "18:00"}]}}
  "closed_dates" lists dates on which the business is closed, and "special_days"
  lists dates with their own hours; without periods, the business is closed:
    {"special_days": [{"date": "2026-12-24", "periods": [
      {"opens": "09:00", "closes": "13:00"}]}]}
  Instead of "fallback_number", "steps" and "closed_steps" list who is called:
  one step after another, until somebody answers. "order" is at_once, in_turn or
  shared:
    {"steps": [
      {"targets": [{"original": true}, {"phone_number": "+12125550101"}],
       "order": "at_once", "ring_seconds": 25},
      {"targets": [{"sip_uri": "sip:reception@pbx.example.com"}]},
      {"voicemail": {"greeting_text": "Please leave a message."}}]}
`;

function addSet(callFlows: CliCommand): void {
  addFlowCommand(callFlows, "set")
    .description("change settings of a call flow; omitted options leave values unchanged")
    .ifMatchOption()
    .addOption(
      createEnumOption(
        "--prompt <mode>",
        "whether callers hear a prompt if the pool has is_prompted",
        PromptModeSchema,
      ),
    )
    .option(
      "--prompt-text <text>",
      "the text of the prompt; if calls are recorded, announce the recording in this text",
    )
    .option("--prompt-url <url>", "the https URL of a sound file that callers hear as the prompt, instead of a text")
    .option("--language <tag>", "the language in which texts are spoken, such as de-DE")
    .option(
      "--whisper-text <text>",
      "the text that the person who answers hears; its only placeholder, {source}, stands for the source of the call",
    )
    .option("--accept-digit <key>", "the key that the person who answers must press to accept the call, 0 to 9")
    .option("--ring-seconds <seconds>", "how long a number rings, in seconds, 5 to 120", parseIntegerOption)
    .option("--fallback-number <number>", "the number to dial if the business is closed or does not answer")
    .option(
      "--caller-id <number>",
      "the caller ID that the business sees: caller, tracking_number, or one of your numbers",
    )
    .addOption(
      createEnumOption("--recording <mode>", "how calls are recorded if the pool has is_recorded", RecordingModeSchema),
    )
    .option("--max-minutes <minutes>", "maximum duration of a call in minutes, 1 to 240", parseIntegerOption)
    .option("--closed-text <text>", "the text that callers hear while the business is closed")
    .option(
      "--unset <settings>",
      "comma-separated settings to reset to their defaults, such as hours,fallback_number",
      parseSettingNames,
    )
    .option("--from-file <file>", "replace all settings with the JSON in this file; - reads the JSON from stdin")
    .addHelpText("after", fileHelp.trimEnd())
    .run(async (invocation, accountId: string, poolId: string | undefined, options: SetOptions) => {
      const name = requireFlowName(accountId, poolId, options);
      const { default: _, ifMatch, unset = [], fromFile, ...values } = options;
      const current = fromFile === undefined ? await getFlow(invocation, name) : undefined;
      const base =
        fromFile === undefined ? current?.settings : await readCallFlowSettingsFile(invocation.host, fromFile);
      const settings = inheritCallFlowSettings(
        create(CallFlowSettingsSchema, values),
        base ?? create(CallFlowSettingsSchema),
      );
      // `inheritCallFlowSettings` omits inherited steps if a fallback number is given. In this command, a new fallback number must not remove
      // existing steps.
      const { steps = [], closedSteps = [] } = base ?? {};
      Object.assign(settings, { steps, closedSteps });
      for (const field of unset) clearField(settings, field);
      await updateFlow(invocation, name, settings, ifMatch ?? current?.etag);
    })
    .examples(
      `calltrack call-flows set acme ${POOL} --ring-seconds 25 --fallback-number +12125550199`,
      `calltrack call-flows set acme ${POOL} --recording off --unset whisper_text`,
      "calltrack call-flows set acme --default --from-file hours.json",
    );
}

function addReset(callFlows: CliCommand): void {
  addFlowCommand(callFlows, "reset")
    .description("remove all settings of a call flow, so that the defaults apply")
    .ifMatchOption()
    .run(async (invocation, accountId: string, poolId: string | undefined, options: FlowOptions & IfMatchOption) => {
      const name = requireFlowName(accountId, poolId, options);
      await updateFlow(invocation, name, create(CallFlowSettingsSchema), options.ifMatch);
    })
    .examples(`calltrack call-flows reset acme ${POOL}`);
}

function addFlowCommand(callFlows: CliCommand, name: string): CliCommand {
  return callFlows
    .command(name)
    .accountArgument()
    .argument("[pool]", "the pool's id")
    .option("--default", "apply the command to the account's default call flow instead of a pool's call flow");
}

function requireFlowName(accountId: string, poolId: string | undefined, options: FlowOptions): FlowName {
  if ((poolId === undefined) !== (options.default === true)) {
    throw new UsageError("pass either a pool, or --default for the account's default call flow");
  }
  return { accountId, poolId };
}

function parseSettingNames(text: string): readonly DescField[] {
  return text.split(",").map((name) => {
    const field = CallFlowSettingsSchema.fields.find((each) => each.name === name.trim());
    return requireOptionValue(
      field,
      `${JSON.stringify(name)} is not a setting of call flows: see the settings in the output of calltrack call-flows get --output json.`,
    );
  });
}

function getFlow(invocation: Invocation, { accountId, poolId }: FlowName): Promise<CallFlow> {
  const client = invocation.client(CallFlowService);
  return poolId === undefined ? client.getDefaultCallFlow({ accountId }) : client.getCallFlow({ accountId, poolId });
}

async function updateFlow(
  invocation: Invocation,
  { accountId, poolId }: FlowName,
  settings: CallFlowSettings,
  etag: string | undefined,
): Promise<void> {
  const client = invocation.client(CallFlowService);
  const flow = await (poolId === undefined
    ? client.updateDefaultCallFlow({ accountId, settings, etag })
    : client.updateCallFlow({ accountId, poolId, settings, etag }));
  await showFlow(invocation, flow);
}

/** Prints a call flow. A table shows only the settings that apply to calls, with warnings on stderr. */
async function showFlow(invocation: Invocation, flow: CallFlow): Promise<void> {
  const row = rowFromMessage(CallFlowSchema, flow);
  if (invocation.options.output !== "table") return invocation.showRow(row);
  const set = Object.entries(row.effective as OutputRow).filter(([, cell]) => cell !== null && !isEmpty(cell));
  await invocation.showRow(Object.fromEntries(set));
  for (const warning of flow.warnings) invocation.notify(`warning: ${escapeForTerminal(warning)}\n`);
}

function isEmpty(cell: OutputCell): boolean {
  return Array.isArray(cell) && cell.length === 0;
}
