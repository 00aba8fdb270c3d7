import type { Announcement, CallPlan, DialInstruction, LegName, VoicemailPlan } from "@calltrack/domain";
import { PROVIDER_TRAITS, type ProviderKind } from "./provider-traits.js";
import { writeXml, type XmlElement } from "./xml.js";

export const TWIML_CONTENT_TYPE = "text/xml; charset=utf-8";

/** The shortest timeout of `<Dial>` that the providers accept. */
const MIN_TIMEOUT_SECONDS = 5;

/** How long the person who answers has to press the key that accepts the call. */
const ACCEPT_SECONDS = 5;

const HANGUP: XmlElement = { name: "Hangup" };

/** Returns the URL for a later request about a leg. For a request about a step, `leg` is the step's first leg; for the whole call, it is absent. */
export type WebhookUrlBuilder = (
  page: "dial" | "status" | "recording" | "whisper" | "voicemail",
  leg?: LegName,
) => string;

export function writeVoiceTwiml(kind: ProviderKind, plan: CallPlan, urlOf: WebhookUrlBuilder): string {
  switch (plan.kind) {
    case "reject":
      return respond({ name: "Reject", attributes: { reason: "busy" } });
    case "hang_up":
      return respond(...announce(plan.announcement), HANGUP);
    case "dial": {
      const [first] = plan.dials;
      if (first === undefined) return writeDialTwiml(kind, plan.voicemail, urlOf);
      // Without a prompt, the caller's leg is answered when the business answers.
      return respond(...announce(plan.prompt), dialElement(kind, first, urlOf, plan.prompt === undefined));
    }
  }
}

/** Writes the response to the result of a dial. `next` is undefined if the call is over. */
export function writeDialTwiml(
  kind: ProviderKind,
  next: DialInstruction | VoicemailPlan | undefined,
  urlOf: WebhookUrlBuilder,
): string {
  if (next === undefined) return respond();
  return "greeting" in next
    ? respond(...offerVoicemail(kind, next, urlOf))
    : respond(dialElement(kind, next, urlOf, false));
}

export function writeHangupTwiml(): string {
  return respond(HANGUP);
}

/**
 * Writes the whisper to the person who answers. If the call flow requires a key, asks for it, and connects the call only after the right key.
 *
 * @param dial the dial that was answered; undefined if it is unknown. An unknown dial is connected without a whisper.
 * @param digits the keys that the person pressed; undefined if the person was not asked to press a key yet.
 */
export function writeWhisperTwiml(
  leg: LegName,
  dial: DialInstruction | undefined,
  digits: string | undefined,
  urlOf: WebhookUrlBuilder,
): string {
  const whisper = announce(dial?.whisper);
  // A pressed key may still arrive after the call flow was changed to require none.
  if (dial?.acceptDigit === undefined) return digits === undefined ? respond(...whisper) : respond();
  if (digits !== undefined) return digits === dial.acceptDigit ? respond() : respond(HANGUP);
  const attributes = { numDigits: 1, timeout: ACCEPT_SECONDS, action: urlOf("whisper", leg) };
  return respond({ name: "Gather", attributes, content: whisper }, HANGUP);
}

/** Writes the document for the provider's fallback URL, which rings the fallback number while this server is unreachable. */
export function writeFallbackTwiml(fallbackNumber: string): string {
  return respond({ name: "Dial", content: [{ name: "Number", content: fallbackNumber }] });
}

function respond(...content: readonly XmlElement[]): string {
  return writeXml({ name: "Response", content });
}

function announce(announcement: Announcement | undefined): readonly XmlElement[] {
  if (announcement === undefined) return [];
  const { text, url, language } = announcement;
  if (url !== undefined) return [{ name: "Play", content: url }];
  return [{ name: "Say", attributes: { language }, content: text ?? "" }];
}

/** After a silent recording, the provider continues with the next verb. Without `action`, it would start again with the greeting. */
function offerVoicemail(
  kind: ProviderKind,
  { greeting, maxSeconds }: VoicemailPlan,
  urlOf: WebhookUrlBuilder,
): readonly XmlElement[] {
  const url = urlOf("voicemail") + PROVIDER_TRAITS[kind].retryFragment;
  const attributes = {
    ...{ action: url, maxLength: maxSeconds, finishOnKey: "#" },
    ...{ recordingStatusCallback: url, recordingStatusCallbackEvent: "completed" },
  };
  return [...announce(greeting), { name: "Record", attributes }, HANGUP];
}

function dialElement(
  kind: ProviderKind,
  dial: DialInstruction,
  urlOf: WebhookUrlBuilder,
  isFirst: boolean,
): XmlElement {
  const { step, targets, callerId, ringSeconds, whisper, recording, maxSeconds } = dial;
  const { addedRingSeconds, retryFragment } = PROVIDER_TRAITS[kind];
  const repeated = (page: Parameters<WebhookUrlBuilder>[0], leg: LegName = step) => urlOf(page, leg) + retryFragment;
  const record = { dual: "record-from-answer-dual", mono: "record-from-answer" } as const;
  const attributes = {
    action: repeated("dial"),
    timeout: Math.max(MIN_TIMEOUT_SECONDS, ringSeconds - addedRingSeconds),
    timeLimit: maxSeconds,
    callerId,
    answerOnBridge: isFirst ? "true" : undefined,
    ...(recording !== undefined && {
      record: record[recording],
      recordingStatusCallback: repeated("recording"),
      recordingStatusCallbackEvent: "completed",
    }),
  };
  const content = targets.map(({ leg, destination }) => ({
    name: destination.startsWith("sip:") ? "Sip" : "Number",
    attributes: {
      url: whisper && repeated("whisper", leg),
      statusCallback: repeated("status", leg),
      statusCallbackEvent: "answered completed",
    },
    content: destination,
  }));
  return { name: "Dial", attributes, content };
}
