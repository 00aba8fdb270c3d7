import type { Announcement, CallPlan, DialInstruction, VoicemailPlan } from "@calltrack/domain";

/** SIP statuses (RFC 3261) for calls that are not connected. */
const BUSY = 486;
const TEMPORARILY_UNAVAILABLE = 480;

/**
 * Writes the JSON response to a voice request from a PBX or proxy; docs/phone-systems.md describes its fields. Absent values are omitted. `steps`
 * contains all numbers to dial. The top-level fields contain only the first two, for PBX configurations that do not read `steps`.
 *
 * @param report the call reference, which the PBX sends with its reports; undefined if the call cannot be recorded.
 * @param isWithheld whether the caller withheld the number, so that no number may be shown.
 */
export function writePbxVoiceResponse(plan: CallPlan, report: string | undefined, isWithheld: boolean): string {
  return JSON.stringify({ ...describePlan(plan), ...(isWithheld && { privacy: "id" }), report });
}

function describePlan(plan: CallPlan): Readonly<Record<string, unknown>> {
  if (plan.kind === "reject") return { action: "reject", sip_status: BUSY, reason: plan.reason };
  if (plan.kind === "hang_up") {
    return hangUp(plan.announcement);
  }
  const voicemail = plan.voicemail && describeVoicemail(plan.voicemail);
  const [first, second] = plan.dials;
  // A PBX configuration without voicemail support plays the greeting, and hangs up.
  if (first === undefined) return { ...hangUp(plan.voicemail?.greeting), voicemail };
  return {
    action: "dial",
    // A string, because the JSON function of Asterisk cannot read booleans.
    business: plan.isOpen === undefined ? undefined : plan.isOpen ? "open" : "closed",
    step: first?.step,
    destination: first?.targets[0]?.destination,
    caller_id: first?.callerId,
    ring_seconds: first?.ringSeconds,
    max_seconds: first?.maxSeconds,
    ...announce("prompt", plan.prompt),
    ...announce("whisper", first?.whisper),
    language: (plan.prompt ?? first?.whisper)?.language,
    accept_digit: first?.acceptDigit,
    recording: first?.recording,
    fallback_destination: second?.targets[0]?.destination,
    fallback_caller_id: second?.callerId,
    fallback_ring_seconds: second?.ringSeconds,
    steps: plan.dials.map(describeDial),
    voicemail,
  };
}

function hangUp(announcement: Announcement | undefined) {
  return { action: "hang_up", sip_status: TEMPORARILY_UNAVAILABLE, ...announce("closed", announcement) };
}

function describeVoicemail({ greeting, maxSeconds }: VoicemailPlan) {
  return { ...announce("greeting", greeting), max_seconds: maxSeconds };
}

function describeDial({ step, targets, callerId, ringSeconds }: DialInstruction) {
  return {
    ...{ step, caller_id: callerId, ring_seconds: ringSeconds },
    targets: targets.map(({ leg, destination }) => ({ step: leg, destination })),
  };
}

function announce(name: string, announcement: Announcement | undefined) {
  if (announcement === undefined) return {};
  const { text, url, language } = announcement;
  return { [`${name}_text`]: text, [`${name}_url`]: url, language };
}
