import { PhoneSystemKind } from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { CommandHost } from "../../process/command-host.js";
import { readSecret } from "../../process/read-secret.js";
import { readTextFile } from "../../process/read-text-file.js";

/** Secrets are read from files, because every user of a machine can read the command lines of its processes. */
export interface SecretFileOptions {
  readonly secretFile?: string;
  readonly sharedKeyFile?: string;
}

interface Secrets {
  readonly secret: string | undefined;
  readonly sharedKey: string | undefined;
}

/** The provider's own name for the secret, keyed by the kind of phone system. The prompt shows this name. */
const SECRET_NAMES: Readonly<Partial<Record<PhoneSystemKind, string>>> = {
  [PhoneSystemKind.TWILIO]: "Primary auth token",
  [PhoneSystemKind.SIGNALWIRE]: "Signing key",
  [PhoneSystemKind.TELNYX]: "Public key",
};

export function addSecretFileOptions(command: CliCommand): CliCommand {
  return command
    .option("--secret-file <file>", "read the secret from this file (default: prompt for it, or read it from stdin)")
    .option(
      "--shared-key-file <file>",
      "read Twilio's shared key from this file, if Twilio signs requests with a shared key",
    );
}

/** Reads the secrets from files, a prompt or stdin. The kind `sip` has no secrets. */
export async function readPhoneSystemSecrets(
  host: CommandHost,
  kind: PhoneSystemKind | undefined,
  { secretFile, sharedKeyFile }: SecretFileOptions,
): Promise<Secrets> {
  const name = kind === undefined ? undefined : SECRET_NAMES[kind];
  const isAsked = secretFile === undefined && name !== undefined;
  const secret = isAsked ? await readSecret(host, `${name}: `) : readSecretFile(secretFile);
  return { secret, sharedKey: readSecretFile(sharedKeyFile) };
}

function readSecretFile(file: string | undefined): string | undefined {
  return file === undefined ? undefined : readTextFile(file).trim();
}
