/** The name of the file with the keys that encrypt secrets in the embedded database, and its name while it is being written. */
export const SECRETS_KEY_FILE_NAMES = { finished: "secrets.key", unfinished: "secrets.key.unfinished" } as const;
