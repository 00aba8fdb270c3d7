/** A parsed value, or what is wrong with the text: `must be a number`. */
export type ReadValue<Value> = { readonly value: Value } | { readonly expectation: string };
