import type { DescEnum } from "@bufbuild/protobuf";
import {
  type CallFlow,
  CallFlowService,
  type CallFlowSettings,
  PromptModeSchema,
  RecordingModeSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { api } from "../../api/client";
import type { Loaded } from "../../api/use-load";
import { enumEntries } from "../../format/enum-text";
import { parseInteger } from "../../format/number-text";
import { ActionForm } from "../../ui/action-form";
import { SelectField, TextField } from "../../ui/field";
import { useEdit } from "../../ui/use-edit";

/** A call flow with a tracking number from its pool; undefined if the pool has none. */
export interface NumberedFlow {
  readonly flow: CallFlow;
  readonly number: string | undefined;
}

/** The settings with a text input: name in the code, name in the API, and label. */
const TEXTS = [
  ["promptText", "prompt_text", "Said to callers first"],
  ["whisperText", "whisper_text", "Said to the person who answers"],
  ["ringSeconds", "ring_seconds", "Seconds to ring"],
  ["fallbackNumber", "fallback_number", "Fallback number"],
  ["callerId", "caller_id", "Number that the business sees"],
  ["closedText", "closed_text", "Said to callers outside opening hours"],
] as const;

const MODES = ["prompt", "recording"] as const;

/** Form values. An empty text, or `0` for a mode, stands for the default. */
type FormSettings = Readonly<Record<(typeof TEXTS)[number][0] | (typeof MODES)[number], string>>;

interface CallFlowFormProps {
  readonly value: NumberedFlow;
  readonly loaded: Loaded<NumberedFlow>;
}

/** Edits the common settings of a pool's call flow. An empty field means the default, and settings without a field stay as they are. */
export function CallFlowForm({ value, loaded }: CallFlowFormProps) {
  const { settings, effective, accountToken: accountId, poolId = "", etag } = value.flow;
  const edit = useEdit({
    ...{ name: "Changing the call flow", loaded, value },
    fieldsOf: ({ flow }) => formSettings(flow.settings),
    send: async (changes) => {
      const request = { accountId, poolId, settings: { ...settings, ...parse(changes) } as CallFlowSettings, etag };
      return { ...value, flow: await api(CallFlowService).updateCallFlow(request) };
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

/** Parses changed settings. Undefined resets a setting to its default. */
function parse(changes: Partial<FormSettings>) {
  const entries = Object.entries(changes).map(([name, text]) => {
    if (MODES.some((mode) => mode === name)) return [name, Number(text) || undefined];
    if (text === "") return [name, undefined];
    return [name, name === "ringSeconds" ? parseInteger(text) : text];
  });
  return Object.fromEntries(entries) as Partial<CallFlowSettings>;
}

function modeOptions(schema: DescEnum): readonly (readonly [string, string])[] {
  return [["0", "default"], ...enumEntries(schema).map(([name, mode]) => [String(mode), name] as const)];
}
