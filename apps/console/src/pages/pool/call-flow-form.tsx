import type { DescEnum } from "@bufbuild/protobuf";
import {
  type CallFlow,
  CallFlowService,
  type CallFlowSettings,
  PromptModeSchema,
  RecordingModeSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { api } from "../../api/client";
import { enumEntries } from "../../format/enum-text";
import { typedInteger } from "../../format/number-text";
import { ActionForm, fieldText } from "../../ui/action-form";
import { SelectField, TextField } from "../../ui/field";
import { useAction } from "../../ui/use-action";

/** The settings that the form has as texts, with their names in the API and their labels. */
const TEXTS = [
  ["promptText", "prompt_text", "Said to callers first"],
  ["whisperText", "whisper_text", "Said to the person who answers"],
  ["ringSeconds", "ring_seconds", "Seconds to ring"],
  ["fallbackNumber", "fallback_number", "Fallback number"],
  ["callerId", "caller_id", "Number that the business sees"],
  ["closedText", "closed_text", "Said to callers when closed"],
] as const;

interface CallFlowFormProps {
  readonly flow: CallFlow;
  readonly onChanged: () => void;
}

/** The common settings of a pool's call flow. An empty field has the default; other settings stay as they are. */
export function CallFlowForm({ flow, onChanged }: CallFlowFormProps) {
  const { settings, accountToken: accountId, poolId = "", etag } = flow;
  const save = useAction(async (form: HTMLFormElement) => {
    const texts = TEXTS.map(([name, field]) => [name, fieldText(form, `settings.${field}`)] as const);
    const ringSeconds = fieldText(form, "settings.ring_seconds");
    const changed = {
      ...settings,
      ...Object.fromEntries(texts),
      ringSeconds: ringSeconds === undefined ? undefined : typedInteger(ringSeconds),
      prompt: Number(fieldText(form, "settings.prompt")) || undefined,
      recording: Number(fieldText(form, "settings.recording")) || undefined,
    };
    await api(CallFlowService).updateCallFlow({ accountId, poolId, settings: changed as CallFlowSettings, etag });
    onChanged();
  });
  return (
    <ActionForm action={save} submit="Save" title="The call flow was not changed">
      <SelectField
        label="Prompt"
        name="settings.prompt"
        defaultValue={String(settings?.prompt ?? 0)}
        options={modeOptions(PromptModeSchema)}
      />
      {TEXTS.map(([name, field, label]) => (
        <TextField
          key={name}
          label={label}
          name={`settings.${field}`}
          placeholder={String(flow.effective?.[name] ?? "")}
          defaultValue={String(settings?.[name] ?? "")}
        />
      ))}
      <SelectField
        label="Recording"
        name="settings.recording"
        defaultValue={String(settings?.recording ?? 0)}
        options={modeOptions(RecordingModeSchema)}
      />
    </ActionForm>
  );
}

function modeOptions(schema: DescEnum): readonly (readonly [string, string])[] {
  return [["0", "default"], ...enumEntries(schema).map(([name, mode]) => [String(mode), name] as const)];
}
