/** The pages of a phone system's webhooks. */
export const WEBHOOK_PAGES = ["voice", "dial", "status", "recording", "whisper", "voicemail"] as const;

/** A page of a phone system's webhooks. */
export type WebhookPage = (typeof WEBHOOK_PAGES)[number];

/** A request of a phone system with its whole body. */
export interface WebhookRequest {
  readonly page: WebhookPage;
  /** The URL under `PUBLIC_URL` that the phone system called. */
  readonly url: string;
  /** The query of the URL, without question mark. */
  readonly query: string;
  readonly body: Uint8Array;
  /** The fields of the body. They are parsed when they are first read, because that takes far more memory than the body. */
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

/** Creates a request. */
export function createWebhookRequest(
  page: WebhookPage,
  url: string,
  body: Uint8Array,
  header: WebhookRequest["header"],
): WebhookRequest {
  let form: URLSearchParams | undefined;
  return {
    ...{ page, url, body, header },
    query: url.slice(url.indexOf("?") + 1 || url.length),
    get form() {
      form ??= new URLSearchParams(Buffer.from(body.buffer, body.byteOffset, body.length).toString());
      return form;
    },
  };
}
