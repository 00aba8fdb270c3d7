import type { CallEvidence } from "@calltrack/domain";

/**
 * A request that a phone system sends about a call. Numbers and headers are texts as they came, which `presentCall` reads. A field that
 * the request does not have is undefined.
 */
export interface Webhook {
  /** The id of the call in its phone system. */
  readonly providerCallId: string | undefined;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly assertedIdentity: string | undefined;
  readonly privacy: string | undefined;
  /** Why the request cannot be recorded, and what to send instead. */
  readonly problem: string | undefined;
  /**
   * Text with the numbers that redirected the call, the latest first: one number, or the values of the headers Diversion (RFC 5806) and
   * History-Info (RFC 7044).
   */
  readonly redirections: string | undefined;
  /** Whether the request is about the caller's leg, so that its fields name the caller. */
  readonly isCallerNamed: boolean;
  /** The call reference in a field. Providers have it in the URL. */
  readonly reference: string | undefined;
  /** When the call started, in ISO 8601. */
  readonly startedAt: string | undefined;
  /** The reported facts; empty if the request reports none. */
  readonly evidence: CallEvidence;
  /** Whether the caller has hung up, so that no other number is dialed. */
  readonly isCallerGone: boolean;
  /** The keys that the person who answered has pressed; undefined before they are asked. */
  readonly digits: string | undefined;
}
