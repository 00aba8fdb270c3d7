/** Returns the description of an option whose default value is known only to the service. */
export type DefaultDescriber = (text: string, value: string) => string;

export const withDefault: DefaultDescriber = (text, value) => `${text} (default: ${value})`;

/** For commands that leave the values of omitted options unchanged. */
export const withoutDefault: DefaultDescriber = (text) => text;
