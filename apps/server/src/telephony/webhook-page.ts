/** The pages of a phone system's webhooks. */
export const WEBHOOK_PAGES = ["voice", "dial", "status", "recording", "whisper"] as const;

/** A page of a phone system's webhooks. */
export type WebhookPage = (typeof WEBHOOK_PAGES)[number];
