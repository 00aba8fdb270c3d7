import { PhoneSystemKind } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { Host } from "../../process/host.js";
import { readSecret } from "../../process/read-secret.js";
import { readTextFile } from "../../process/read-text-file.js";

/** The options that name files with secrets. Command lines never contain secrets, because every user can list them. */
export interface SecretOptions {
  readonly secretFile?: string;
  readonly sharedKeyFile?: string;
}

interface Secrets {
  readonly secret: string | undefined;
  readonly sharedKey: string | undefined;
}

/** The providers' own names for the secrets. */
const SECRET_NAMES: Readonly<Partial<Record<PhoneSystemKind, string>>> = {
  [PhoneSystemKind.TWILIO]: "Primary auth token",
  [PhoneSystemKind.SIGNALWIRE]: "Signing key",
  [PhoneSystemKind.TELNYX]: "Public key",
};

export function addSecretOptions(command: CliCommand): CliCommand {
  return command
    .option("--secret-file <file>", "read the secret from this file (default: prompt for it, or read it from stdin)")
    .option("--shared-key-file <file>", "read the shared key from this file, if Twilio signs requests with one");
}

/** Reads a phone system's secrets from files, a prompt or stdin. The kind `sip` has no secrets. */
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
