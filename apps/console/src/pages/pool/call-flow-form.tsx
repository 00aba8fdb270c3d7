import {
  type CallFlow,
  CallFlowService,
  type CallFlowSettings,
  PromptMode,
  PromptModeSchema,
  RecordingMode,
  RecordingModeSchema,
} from "@calltrack/domain/gen/calltracking/v1/call_flow_pb";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { enumText } from "../../format/enum-text";
import { ActionForm } from "../../ui/action-form";
import { SelectField, TextField } from "../../ui/field";
import { useAction } from "../../ui/use-action";

/** The settings that the form has as texts, with their labels. */
const TEXTS = {
  promptText: ["Said to callers first", "prompt_text"],
  whisperText: ["Said to the person who answers", "whisper_text"],
  ringSeconds: ["Seconds to ring", "ring_seconds"],
  fallbackNumber: ["Fallback number", "fallback_number"],
  callerId: ["Number that the business sees", "caller_id"],
  closedText: ["Said to callers when closed", "closed_text"],
} as const;

type TextName = keyof typeof TEXTS;

interface CallFlowFormProps {
  readonly flow: CallFlow;
  readonly onChanged: () => void;
}

/** The common settings of a pool's call flow. An empty field has the default; other settings stay as they are. */
export function CallFlowForm({ flow, onChanged }: CallFlowFormProps) {
  const [texts, setTexts] = useState(() => textsOf(flow.settings));
  const [prompt, setPrompt] = useState(String(flow.settings?.prompt ?? 0));
  const [recording, setRecording] = useState(String(flow.settings?.recording ?? 0));
  const save = useAction(async () => {
    const { settings: old, accountToken: accountId, poolId = "", etag } = flow;
    const { ringSeconds, ...others } = texts;
    const settings = {
      ...old,
      ...Object.fromEntries(Object.entries(others).map(([name, text]) => [name, text === "" ? undefined : text])),
      ringSeconds: ringSeconds === "" ? undefined : Math.trunc(Number(ringSeconds)) || 0,
      prompt: Number(prompt) || undefined,
      recording: Number(recording) || undefined,
    };
    await api(CallFlowService).updateCallFlow({ accountId, poolId, settings: settings as CallFlowSettings, etag });
    onChanged();
  });
  const violations = save.failure?.violations ?? {};
  const defaults = textsOf(flow.effective);
  return (
    <ActionForm action={save} submit="Save" title="The call flow was not changed">
      <SelectField
        label="Prompt"
        value={prompt}
        onChange={setPrompt}
        options={[
          ["0", "default"],
          ...[PromptMode.ON, PromptMode.OFF].map((mode) => [String(mode), enumText(PromptModeSchema, mode)] as const),
        ]}
      />
      {(Object.keys(TEXTS) as TextName[]).map((name) => (
        <TextField
          key={name}
          label={TEXTS[name][0]}
          placeholder={defaults[name]}
          value={texts[name]}
          problem={violations[`settings.${TEXTS[name][1]}`]}
          onChange={(text) => setTexts({ ...texts, [name]: text })}
        />
      ))}
      <SelectField
        label="Recording"
        value={recording}
        onChange={setRecording}
        options={[
          ["0", "default"],
          ...[RecordingMode.DUAL, RecordingMode.MONO, RecordingMode.OFF].map(
            (mode) => [String(mode), enumText(RecordingModeSchema, mode)] as const,
          ),
        ]}
      />
    </ActionForm>
  );
}

function textsOf(settings: CallFlowSettings | undefined): Record<TextName, string> {
  const entries = Object.keys(TEXTS).map((name) => [name, String(settings?.[name as TextName] ?? "")]);
  return Object.fromEntries(entries) as Record<TextName, string>;
}
