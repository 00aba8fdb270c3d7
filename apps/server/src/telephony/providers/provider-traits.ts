import type { PhoneSystemKind } from "@calltrack/domain";

/** A provider whose webhooks work like Twilio's, apart from the differences in `ProviderTraits`. */
export type ProviderKind = Exclude<PhoneSystemKind, "sip">;

export interface ProviderTraits {
  /** Seconds that the provider adds to the timeout of `<Dial>`. */
  readonly addedRingSeconds: number;
  /** Whether `Timestamp` is the time of the reported event. Otherwise, `Timestamp` is when the call was created. */
  readonly hasEventTimes: boolean;
  /** How long a link to a recording is valid, in milliseconds; undefined if it does not expire. */
  readonly recordingLinkMs: number | undefined;
  /** The URL fragment that makes the provider retry failed requests; empty if the provider has no such setting. */
  readonly retryFragment: string;
}

/**
 * The differences between the providers according to their documentation in November 2026. None of them was tested with the real provider.
 *
 * - SignalWire and Telnyx document neither an addition to the timeout nor retries.
 * - Only Twilio documents `DialBridged`, and not every Twilio account has it. Without it, a call that is declined during the whisper is
 *   `completed`, and counts as answered.
 * - As caller ids, SignalWire documents owned and verified numbers. Telnyx also documents the number of the live call.
 * - Telnyx documents `answerOnBridge`, but also that it answers calls before it requests instructions.
 * - SignalWire's `Timestamp` is when the call was created. Whether it sends `ParentCallSid` and `SequenceNumber` is unknown.
 * - Call ids are opaque: `CA…` (Twilio), UUIDs (SignalWire), `v3:…` (Telnyx). All may send times in RFC 2822 or RFC 3339.
 */
export const PROVIDER_TRAITS: Readonly<Record<ProviderKind, ProviderTraits>> = {
  twilio: { addedRingSeconds: 5, hasEventTimes: true, recordingLinkMs: undefined, retryFragment: "#rc=3&rp=ct,rt,5xx" },
  signalwire: { addedRingSeconds: 0, hasEventTimes: false, recordingLinkMs: undefined, retryFragment: "" },
  telnyx: { addedRingSeconds: 0, hasEventTimes: true, recordingLinkMs: 10 * 60_000, retryFragment: "" },
};
