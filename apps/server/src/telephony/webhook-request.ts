/** The last path segments of the webhooks that a phone system calls. */
export const WEBHOOK_NAMES = ["voice", "dial", "status", "recording", "whisper", "voicemail"] as const;

export type WebhookName = (typeof WEBHOOK_NAMES)[number];

/** A request from a phone system, with its complete body. */
export interface WebhookRequest {
  readonly page: WebhookName;
  /** The URL under `PUBLIC_URL` to which the phone system sent the request. */
  readonly url: string;
  /** The query of the URL, without the question mark. */
  readonly query: string;
  readonly body: Uint8Array;
  /** The fields of the body. They are parsed on first use, because they take far more memory than the body. */
  readonly form: URLSearchParams;
  /** @param name the name of the header, in lowercase. */
  header(name: string): string | undefined;
}

export interface WebhookResponse {
  readonly status: number;
  readonly contentType?: string;
  readonly body?: string;
}

export function createWebhookRequest(
  page: WebhookName,
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
