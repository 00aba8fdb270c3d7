import { create } from "@bufbuild/protobuf";
import {
  type CallFlowSettings,
  CallFlowSettingsSchema,
  PromptMode,
  RecordingMode,
} from "./gen/calltracking/v1/call_flow_pb.js";
import { inheritCallFlowSettings } from "./inherited-call-flow-settings.js";
import { DEFAULT_LANGUAGE, languageOfNumber, phrasesIn } from "./spoken-phrases.js";

/** The settings of a call flow, completed by the service's defaults. */
export interface EffectiveCallFlowSettings extends CallFlowSettings {
  readonly language: string;
  readonly prompt: PromptMode;
  readonly ringSeconds: number;
  readonly callerId: string;
  readonly recording: RecordingMode;
  readonly maxMinutes: number;
}

/**
 * Returns the given settings, with the service's defaults for those that are unset.
 *
 * @param trackingNumber determines the default language; if undefined, this is English.
 * @param isRecorded whether the default prompt must announce the recording.
 */
export function effectiveCallFlowSettings(
  flow: CallFlowSettings,
  trackingNumber: string | undefined,
  isRecorded = false,
): EffectiveCallFlowSettings {
  const language =
    flow.language ?? (trackingNumber === undefined ? DEFAULT_LANGUAGE : languageOfNumber(trackingNumber));
  const phrases = phrasesIn(language);
  const promptText = isRecorded ? phrases.recordingNotice : phrases.greeting;
  const defaults = create(CallFlowSettingsSchema, {
    language,
    prompt: PromptMode.ON,
    ringSeconds: 20,
    callerId: "caller",
    recording: RecordingMode.DUAL,
    maxMinutes: 240,
    promptText,
  });
  return inheritCallFlowSettings(flow, defaults) as EffectiveCallFlowSettings;
}
