/**
 * A header, its name and value, that makes browsers trust the content type of every response
 * (https://fetch.spec.whatwg.org/#x-content-type-options-header).
 */
export const NOSNIFF = ["x-content-type-options", "nosniff"] as const;
