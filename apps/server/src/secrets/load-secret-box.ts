import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.js";
import { ConfigError } from "../config/config-error.js";
import { IN_MEMORY_DIRECTORY } from "../config/database-location.js";
import { parseSecretKeys } from "../config/secret-keys.js";
import { fsyncDirectory } from "../files/fsync-tree.js";
import { AES_KEY_BYTES } from "./aes-gcm.js";
import { createSecretBox, type SecretBox } from "./secret-box.js";
import { SECRETS_KEY_FILE_NAMES } from "./secrets-key-file-names.js";

/**
 * Opens the secret box with the keys in `SECRETS_KEY`. Without this setting, the embedded database uses a key file in its directory, which this
 * function creates if it is absent. The process must have locked the directory.
 *
 * @returns undefined on PostgreSQL without `SECRETS_KEY`.
 * @throws ConfigError if the key file is unusable.
 */
export function loadSecretBox({
  secretKeys,
  database,
}: Pick<Config, "secretKeys" | "database">): SecretBox | undefined {
  if (secretKeys !== undefined) return createSecretBox(secretKeys);
  if (database.kind === "postgres") return undefined;
  if (database.directory === IN_MEMORY_DIRECTORY) return createSecretBox([randomBytes(AES_KEY_BYTES)]);
  return createSecretBox(readKeyFile(database.directory));
}

function readKeyFile(directory: string): readonly Buffer[] {
  const file = join(directory, SECRETS_KEY_FILE_NAMES.finished);
  if (!fs.existsSync(file)) createKeyFile(directory, file);
  const keys = parseSecretKeys(fs.readFileSync(file, "utf8").trim());
  if (keys !== undefined) return keys;
  throw new ConfigError(
    `SECRETS_KEY must be set, or ${file} must contain keys of 32 bytes in base64: restore the file from a backup, or ` +
      "delete it and enter the credentials of phone systems again",
  );
}

/** Creates the file atomically and durably. A crash must not lose a key that has already encrypted a credential. */
function createKeyFile(directory: string, file: string): void {
  const unfinished = join(directory, SECRETS_KEY_FILE_NAMES.unfinished);
  fs.rmSync(unfinished, { force: true });
  fs.writeFileSync(unfinished, `${randomBytes(AES_KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  fs.renameSync(unfinished, file);
  fsyncDirectory(directory);
}
