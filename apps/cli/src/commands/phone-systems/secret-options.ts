import { PhoneSystemKind } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Host } from "../../process/host.js";
import { readSecret } from "../../process/read-secret.js";
import { readTextFile } from "../../process/read-text-file.js";

/** The options that name the files of secrets, which command lines never contain: every user can list those. */
export interface SecretOptions {
  readonly secretFile?: string;
  readonly sharedKeyFile?: string;
}

/** The secrets of a request. */
interface Secrets {
  readonly secret: string | undefined;
  readonly sharedKey: string | undefined;
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
  const secret = isAsked ? await readSecret(host, `${name}: `) : readSecretFile(secretFile);
  return { secret, sharedKey: readSecretFile(sharedKeyFile) };
}

function readSecretFile(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readTextFile(file).trim();
}
