import type { CallEvidence } from "@calltrack/domain";

/**
 * The content of a request that a phone system sends about a call. Numbers and headers are unparsed; `readInboundCall` parses them. Absent
 * fields are undefined.
 */
export interface WebhookContent {
  /** The call's id in its phone system. */
  readonly providerCallId: string | undefined;
  readonly to: string | undefined;
  readonly from: string | undefined;
  readonly assertedIdentity: string | undefined;
  readonly privacy: string | undefined;
  /** Why the request cannot be recorded, and what to send instead. */
  readonly problem: string | undefined;
  /**
   * The numbers that redirected the call, the latest first: one number, or the values of the headers Diversion (RFC 5806) and
   * History-Info (RFC 7044).
   */
  readonly redirections: string | undefined;
  /** Whether the request is about the caller's leg, so that its fields name the caller. */
  readonly isCallerNamed: boolean;
  /** The call reference from a form field. Providers send it in the URL instead. */
  readonly reference: string | undefined;
  /** When the call started, in ISO 8601. */
  readonly startedAt: string | undefined;
  /** The reported facts; empty if the request reports none. */
  readonly evidence: CallEvidence;
  /** Whether the caller has hung up, so that no other number is dialed. */
  readonly isCallerGone: boolean;
  /** The keys that the person who answered pressed; undefined if that person was not asked to press a key yet. */
  readonly digits: string | undefined;
}
