import { readFile } from "node:fs/promises";
import { PhoneSystemKind } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Host } from "../../process/host.js";
import { readSecret } from "../../process/read-secret.js";
import { UsageError } from "../../process/usage-error.js";
import { fileErrorText } from "../../text/file-error.js";

/** The options that name the files of secrets, which command lines never contain: every user can list those. */
export interface SecretOptions {
  readonly secretFile?: string;
  readonly sharedKeyFile?: string;
}

/** The secrets of a request. */
interface Secrets {
  readonly secret?: string;
  readonly sharedKey?: string;
}

/** The names of secrets at the providers. */
const SECRET_NAMES: Readonly<Partial<Record<PhoneSystemKind, string>>> = {
  [PhoneSystemKind.TWILIO]: "Primary auth token",
  [PhoneSystemKind.SIGNALWIRE]: "Signing key",
  [PhoneSystemKind.TELNYX]: "Public key",
};

/** Adds the options. */
export function addSecretOptions(command: CliCommand): CliCommand {
  return command
    .option("--secret-file <file>", "read the secret from this file; by default it is asked for, or read from stdin")
    .option("--shared-key-file <file>", "read Twilio's shared key from this file, if it signs requests with one");
}

/** Reads the secrets of a phone system: from files, or from a prompt. The kind `sip` has none. */
export async function readSecrets(
  host: Host,
  kind: PhoneSystemKind | undefined,
  { secretFile, sharedKeyFile }: SecretOptions,
): Promise<Secrets> {
  const name = kind === undefined ? undefined : SECRET_NAMES[kind];
  const isAsked = secretFile === undefined && name !== undefined;
  const secret = isAsked ? await readSecret(host, `${name}: `) : await readSecretFile(secretFile);
  const sharedKey = await readSecretFile(sharedKeyFile);
  return { ...(secret !== undefined && { secret }), ...(sharedKey !== undefined && { sharedKey }) };
}

async function readSecretFile(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${fileErrorText(error)}`);
  }
}
