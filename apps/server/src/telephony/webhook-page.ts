/** The pages of a phone system's webhooks. */
export const WEBHOOK_PAGES = ["voice", "dial", "status", "recording", "whisper"] as const;

/** A page of a phone system's webhooks. */
export type WebhookPage = (typeof WEBHOOK_PAGES)[number];

/** A request of a phone system with its whole body. */
export interface WebhookRequest {
  readonly page: WebhookPage;
  /** The URL under `PUBLIC_URL` that the phone system called. */
  readonly url: string;
  /** The query of the URL, without question mark. */
  readonly query: string;
  readonly body: Buffer;
  /** The fields of the body. */
  readonly form: URLSearchParams;
  /** Returns the value of a header. The name is in lower case. */
  header(name: string): string | undefined;
}

/** The response to a webhook. */
export interface WebhookResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}
