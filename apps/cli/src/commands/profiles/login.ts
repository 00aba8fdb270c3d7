import { resolve } from "node:path";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { isLoopbackUrl } from "../../connection/loopback-url.js";
import type { CliCommand } from "../../invocation/cli-command.js";
import { Invocation } from "../../invocation/invocation.js";
import type { GlobalOptions } from "../../options/global-options.js";
import { writeRow } from "../../output/write-rows.js";
import type { CommandHost } from "../../process/command-host.js";
import { readSecret } from "../../process/read-secret.js";
import { applyProfile, selectProfileName } from "../../profiles/apply-profile.js";
import { DEFAULT_PROFILE, type Profile } from "../../profiles/profile.js";
import { createProfileRow } from "../../profiles/profile-row.js";
import {
  findProfile,
  findProfileFolderPath,
  requireProfileFilePath,
  saveProfile,
} from "../../profiles/profile-store.js";

const profileHelp = `
Profiles:
  A profile contains the URL of a server, and the key, CA certificates and client
  certificate for it. Profiles are stored in ${findProfileFolderPath() ?? "XDG_CONFIG_HOME"},
  readable only by you. Commands use the profile that --profile or
  CALLTRACK_PROFILE names; by default, the profile "${DEFAULT_PROFILE}". Options override
  the profile. Environment variables override it too, unless --profile selects
  the profile. A profile's key is sent only to the profile's server.
`;

/** Defines `login`, which saves a profile. */
export function defineCommand(login: CliCommand): void {
  login
    .action(async (_options: unknown, command: Command) => logIn(login.host, command))
    .addHelpText("after", profileHelp.trimEnd());
  login.examples(
    "calltrack login --server https://calltrack.example.com",
    "calltrack login --profile staging --server https://staging.example.com --ca ca.pem < key.txt",
    "calltrack login --profile mesh --server https://calltrack.internal --cert client.pem --cert-key client.key",
  );
}

async function logIn(host: CommandHost, command: Command): Promise<void> {
  const given = command.optsWithGlobals<GlobalOptions>();
  const name = selectProfileName(given);
  // Fails early, before the user types a key that cannot be saved.
  requireProfileFilePath(name);
  // An unreadable profile is overwritten.
  const known = await findProfile(name).catch(() => undefined);
  const options = known === undefined ? given : applyProfile(command, known);
  const isKeyGiven = command.getOptionValueSourceWithGlobals("key") === "cli";
  const key = isKeyGiven ? given.key : await askForKey(host, { ...options, key: undefined });
  if (isKeyGiven) warnIfUnencrypted(host, options);
  if (key !== undefined) await requireValidCredentials(host, { ...options, key });
  const profile = { server: options.server, key, ...absoluteFiles(options) };
  await saveProfile(name, profile);
  await writeRow(host, options, createProfileRow(name, profile));
}

function warnIfUnencrypted(host: CommandHost, { server }: GlobalOptions): void {
  if (!isUnencrypted(server)) return;
  host.stderr.write("warning: the server does not use https, so others on the network can read the key\n");
}

/** Returns undefined if the user gives no key and the server requires none. On a terminal, prompts only if the server requires a key. */
async function askForKey(host: CommandHost, options: GlobalOptions): Promise<string | undefined> {
  const refusal = await requireValidCredentials(host, options).catch((error) => error);
  if (refusal !== undefined && !isUnauthenticated(refusal)) throw refusal;
  if (refusal === undefined && host.stdin.isTTY) return undefined;
  warnIfUnencrypted(host, options);
  const key = await readSecret(host, `API key for ${options.server}: `);
  if (key === "" && refusal !== undefined) throw refusal;
  return key === "" ? undefined : key;
}

/** Throws the server's error if the server rejects the credentials. Missing permissions are ignored. */
async function requireValidCredentials(host: CommandHost, options: GlobalOptions): Promise<void> {
  const invocation = new Invocation(host, options);
  try {
    await invocation.client(ClockService).getClock({});
  } catch (error) {
    if (ConnectError.from(error).code !== Code.PermissionDenied) throw error;
  } finally {
    invocation.close();
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unauthenticated;
}

/** Makes file paths absolute, so that the profile works in every folder. */
function absoluteFiles({ ca, cert, certKey }: GlobalOptions): Omit<Profile, "server"> {
  const [caFile, certFile, keyFile] = [ca, cert, certKey].map((file) => file && resolve(file));
  return { ca: caFile, cert: certFile, certKey: keyFile };
}

function isUnencrypted(server: string): boolean {
  return server.startsWith("http:") && !isLoopbackUrl(server);
}
