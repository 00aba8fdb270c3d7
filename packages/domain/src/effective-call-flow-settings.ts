import { create } from "@bufbuild/protobuf";
import {
  type CallFlowSettings,
  CallFlowSettingsSchema,
  PromptMode,
  RecordingMode,
} from "./gen/calltracking/v1/call_flow_pb.js";
import { inheritCallFlowSettings } from "./inherited-call-flow-settings.js";
import { DEFAULT_SPOKEN_LANGUAGE, findPhoneNumberLanguage, findSpokenPhrases } from "./spoken-phrases.js";

/** The settings of a call flow, with the service's defaults in place of unset ones. */
export interface EffectiveCallFlowSettings extends CallFlowSettings {
  readonly language: string;
  readonly prompt: PromptMode;
  readonly ringSeconds: number;
  readonly callerId: string;
  readonly recording: RecordingMode;
  readonly maxMinutes: number;
}

/**
 * Returns the settings of a call flow, with the service's defaults in place of unset ones.
 *
 * @param trackingNumber the number whose country determines the default language; if undefined, the default is English.
 * @param isRecorded whether the call is recorded, so that the default prompt must announce the recording.
 */
export function applyCallFlowDefaults(
  flow: CallFlowSettings,
  trackingNumber: string | undefined,
  isRecorded = false,
): EffectiveCallFlowSettings {
  const language =
    flow.language ?? (trackingNumber === undefined ? DEFAULT_SPOKEN_LANGUAGE : findPhoneNumberLanguage(trackingNumber));
  const phrases = findSpokenPhrases(language);
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
