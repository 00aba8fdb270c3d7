/** The name and value of a header that keeps browsers from guessing content types (https://fetch.spec.whatwg.org/#x-content-type-options-header). */
export const NOSNIFF = ["x-content-type-options", "nosniff"] as const;
