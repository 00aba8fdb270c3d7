import type { PhoneSystemKind } from "@calltrack/domain";

/** A provider whose webhooks are those of Twilio, with differences. */
export type ProviderKind = Exclude<PhoneSystemKind, "sip">;

/** How a provider differs from the others. */
export interface ProviderTraits {
  /** Seconds that the provider adds to the timeout of `<Dial>`. */
  readonly addedRingSeconds: number;
  /** Whether `Timestamp` is the time of the reported event. Otherwise it is when the call was created. */
  readonly hasEventTimes: boolean;
  /** How long a link to a recording is valid, in milliseconds; undefined if it does not expire. */
  readonly recordingLinkMs: number | undefined;
  /** Added to URLs, so that failed requests are repeated; empty if the provider has no such setting. */
  readonly retryFragment: string;
}

/**
 * The differences of the providers, as their documentation says in November 2026. None of them was tried with the real service.
 *
 * - SignalWire and Telnyx document neither that they add to the timeout nor that they repeat requests.
 * - `DialBridged` is documented by Twilio only, and not every account has it. Without it, a call that is declined in the whisper is
 *   `completed`, and counts as answered.
 * - Caller ids: SignalWire documents numbers that are owned or verified, Telnyx those and that of the live call.
 * - Telnyx documents `answerOnBridge`, and also that it answers calls before it asks for instructions.
 * - SignalWire's `Timestamp` is the time of the call's creation. Whether it sends `ParentCallSid` and `SequenceNumber` is unknown.
 * - Ids of calls are opaque: `CA…` (Twilio), UUIDs (SignalWire), `v3:…` (Telnyx). Times are RFC 2822 or RFC 3339, by either.
 */
export const PROVIDER_TRAITS: Readonly<Record<ProviderKind, ProviderTraits>> = {
  twilio: { addedRingSeconds: 5, hasEventTimes: true, recordingLinkMs: undefined, retryFragment: "#rc=3&rp=ct,rt,5xx" },
  signalwire: { addedRingSeconds: 0, hasEventTimes: false, recordingLinkMs: undefined, retryFragment: "" },
  telnyx: { addedRingSeconds: 0, hasEventTimes: true, recordingLinkMs: 10 * 60_000, retryFragment: "" },
};
