/** A parsed value, or the rule that the text breaks, such as `must be a number`. */
export type ParseResult<Value> = { readonly value: Value } | { readonly expectation: string };
