/** The file with the keys that encrypt secrets in the embedded database, and the same file while it is written. */
export const SECRETS_KEY_FILES = { finished: "secrets.key", unfinished: "secrets.key.unfinished" } as const;
