import type { DescEnum } from "@bufbuild/protobuf";
import {
  type CallFlow,
  CallFlowService,
  type CallFlowSettings,
  PromptModeSchema,
  RecordingModeSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { createApiClient } from "../../api/client";
import type { LoadedValue } from "../../api/use-load";
import { listEnumValues } from "../../format/enum-text";
import { parseIntegerOrZero } from "../../format/number-text";
import { ActionForm } from "../../ui/action-form";
import { SelectField, TextField } from "../../ui/form-field";
import { useEdit } from "../../ui/use-edit";

/** A pool's call flow, and one of the pool's tracking numbers; `number` is undefined if the pool has none. */
export interface CallFlowWithNumber {
  readonly flow: CallFlow;
  readonly number: string | undefined;
}

/** The settings that have a text input: the TypeScript name, the API name and the label of each. */
const TEXTS = [
  ["promptText", "prompt_text", "Text that callers hear first"],
  ["whisperText", "whisper_text", "Text that the person who answers hears"],
  ["ringSeconds", "ring_seconds", "Seconds to ring"],
  ["fallbackNumber", "fallback_number", "Fallback number"],
  ["callerId", "caller_id", "Number that the business sees as the caller's"],
  ["closedText", "closed_text", "Text that callers hear outside opening hours"],
] as const;

const MODES = ["prompt", "recording"] as const;

/** The values of the form's inputs. An empty text or the mode `0` means the default. */
type FormSettings = Readonly<Record<(typeof TEXTS)[number][0] | (typeof MODES)[number], string>>;

interface CallFlowFormProps {
  readonly value: CallFlowWithNumber;
  readonly loaded: LoadedValue<CallFlowWithNumber>;
}

/** A form for common settings of a pool's call flow. An empty input means the default. Settings without an input stay unchanged. */
export function CallFlowForm({ value, loaded }: CallFlowFormProps) {
  const { settings, effective, accountToken: accountId, poolId = "", etag } = value.flow;
  const edit = useEdit({
    ...{ name: "Changing the call flow", loaded, value },
    fieldsOf: ({ flow }) => formSettings(flow.settings),
    send: async (changes) => {
      const request = { accountId, poolId, settings: { ...settings, ...parse(changes) } as CallFlowSettings, etag };
      return { ...value, flow: await createApiClient(CallFlowService).updateCallFlow(request) };
    },
  });
  const stateOf = (name: keyof FormSettings) => ({
    value: edit.fields[name],
    onChange: (text: string) => edit.change({ [name]: text }),
  });
  return (
    <ActionForm action={edit} submit="Save">
      <SelectField
        label="Prompt"
        name="settings.prompt"
        {...stateOf("prompt")}
        options={modeOptions(PromptModeSchema)}
      />
      {TEXTS.map(([name, field, label]) => (
        <TextField
          key={name}
          label={label}
          name={`settings.${field}`}
          placeholder={String(effective?.[name] ?? "")}
          {...stateOf(name)}
        />
      ))}
      <SelectField
        label="Recording"
        name="settings.recording"
        {...stateOf("recording")}
        options={modeOptions(RecordingModeSchema)}
      />
    </ActionForm>
  );
}

function formSettings(settings: CallFlowSettings | undefined): FormSettings {
  const texts = TEXTS.map(([name]) => [name, String(settings?.[name] ?? "")]);
  return Object.fromEntries([...texts, ...MODES.map((name) => [name, String(settings?.[name] ?? 0)])]);
}

/** Converts changed form values to call flow settings. A setting that is undefined is reset to its default. */
function parse(changes: Partial<FormSettings>) {
  const entries = Object.entries(changes).map(([name, text]) => {
    if (MODES.some((mode) => mode === name)) return [name, Number(text) || undefined];
    if (text === "") return [name, undefined];
    return [name, name === "ringSeconds" ? parseIntegerOrZero(text) : text];
  });
  return Object.fromEntries(entries) as Partial<CallFlowSettings>;
}

function modeOptions(schema: DescEnum): readonly (readonly [string, string])[] {
  return [["0", "default"], ...listEnumValues(schema).map(([name, mode]) => [String(mode), name] as const)];
}
