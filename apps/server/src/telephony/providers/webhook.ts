import type { CallEvent, LegOutcome } from "@calltrack/domain";

/** A call as a phone system presents it: its own texts, which `readCaller` and `readDialledNumber` of the domain read. */
export interface PresentedFields {
  /** The id of the call in its phone system; undefined if the request has none. */
  readonly providerCallId: string | undefined;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly assertedIdentity: string | undefined;
  readonly privacy: string | undefined;
  /** The number that redirected the call, or the header Diversion (RFC 5806). */
  readonly redirections: string | undefined;
  /** Whether the request is about the caller's leg, so that its fields name the caller. */
  readonly isCallerNamed: boolean;
}

/** The result of dialing a number. */
export interface DialResult {
  readonly outcome: LegOutcome;
  readonly endedAt: Date;
  readonly answeredAt: Date | undefined;
  /** The duration of the dialed leg; undefined if the phone system does not say. */
  readonly durationSeconds: number | undefined;
  /** Whether the caller has hung up, so that no other number is dialed. */
  readonly isCallerGone: boolean;
}

/** A request of a provider, by its page. */
export type ProviderWebhook = {
  readonly call: PresentedFields;
} & (
  | { readonly page: "voice" }
  | { readonly page: "dial"; readonly result: DialResult }
  | { readonly page: "status" | "recording"; readonly events: readonly CallEvent[] }
  | {
      readonly page: "whisper";
      /** The keys that the person who answered has pressed; undefined before they are asked. */
      readonly digits: string | undefined;
    }
);

/** A request of a PBX or proxy of one's own, by its page. */
export type SipWebhook = {
  readonly call: PresentedFields;
  /** The call reference of the answer to the voice request; undefined if that one was not answered. */
  readonly report: string | undefined;
} & (
  | { readonly page: "voice" }
  | {
      readonly page: "status" | "recording";
      readonly events: readonly CallEvent[];
      /** When the call started, by the phone system; undefined if it does not say. */
      readonly startedAt: Date | undefined;
    }
);
