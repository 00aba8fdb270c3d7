/** Keeps browsers from guessing the content type of a response (https://fetch.spec.whatwg.org/#x-content-type-options-header). */
export const NOSNIFF_HEADER = ["x-content-type-options", "nosniff"] as const;
