import { resolve } from "node:path";
import { ClockService } from "@calltrack/domain/gen/calltracking/v1/clock_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import type { Command } from "commander";
import { addExamples } from "../command-examples.js";
import type { GlobalOptions } from "../global-options.js";
import type { Host } from "../host.js";
import { Invocation } from "../invocation.js";
import { writeRow } from "../output/write-rows.js";
import { applyProfile, profileNameOf } from "../profiles/apply-profile.js";
import { DEFAULT_PROFILE, type Profile, requireProfileName } from "../profiles/profile.js";
import { profileRow } from "../profiles/profile-row.js";
import { findProfile, keepProfile, profileFolder } from "../profiles/profile-store.js";
import { readSecret } from "../read-secret.js";

const profileHelp = `
Profiles:
  A profile has a server, and the key, the authorities and the client certificate
  for it. It is kept in ${profileFolder()},
  for you alone to read. Commands take the one that --profile or CALLTRACK_PROFILE
  names, else the one called ${DEFAULT_PROFILE}. An option comes before it, and so does a
  variable of the environment, save where --profile names it. Its key goes to its
  own server only.
`;

/** Gives `login` its action. */
export function defineLogin(login: Command, host: Host): void {
  login
    .action(async (_options: unknown, command: Command) => logIn(host, command))
    .addHelpText("after", profileHelp.trimEnd());
  addExamples(login, [
    "calltrack login --server https://calltrack.example.com",
    "calltrack login --profile staging --server https://staging.example.com --ca ca.pem < key.txt",
    "calltrack login --profile mesh --server https://calltrack.internal --cert client.pem --cert-key client.key",
  ]);
}

async function logIn(host: Host, command: Command): Promise<void> {
  const given = command.optsWithGlobals<GlobalOptions>();
  const name = requireProfileName(profileNameOf(given));
  // What cannot be read is made anew.
  const known = await findProfile(name).catch(() => undefined);
  const options = known === undefined ? given : applyProfile(command, known);
  const isKeyGiven = command.getOptionValueSourceWithGlobals("key") === "cli";
  const key = isKeyGiven ? given.key : await askForKey(host, { ...options, key: undefined });
  if (isKeyGiven) warnIfExposed(host, options);
  if (key !== undefined) await requireAccepted(host, { ...options, key });
  const profile = { server: options.server, key, ...absoluteFiles(options) };
  await keepProfile(name, profile);
  await writeRow(host, options, profileRow(name, profile));
}

/** Before the key is sent, and typed. */
function warnIfExposed(host: Host, { server }: GlobalOptions): void {
  if (!isExposed(server)) return;
  host.stderr.write("warning: the server is not reached over https: whoever is on the way can read the key\n");
}

/** Reads the key; undefined if the server wants none. A terminal is asked only if it does, so that nobody types in vain. */
async function askForKey(host: Host, options: GlobalOptions): Promise<string | undefined> {
  const refusal = await requireAccepted(host, options).catch((error) => error);
  if (refusal !== undefined && !isUnauthenticated(refusal)) throw refusal;
  if (refusal === undefined && host.stdin.isTTY) return undefined;
  warnIfExposed(host, options);
  const key = await readSecret(host, `API key for ${options.server}: `);
  if (key === "" && refusal !== undefined) throw refusal;
  return key === "" ? undefined : key;
}

/** Throws what the server says to a caller that it does not know. What a caller may not do is no matter. */
async function requireAccepted(host: Host, options: GlobalOptions): Promise<void> {
  const invocation = new Invocation(host, options);
  try {
    await invocation.client(ClockService).getClock({}, invocation.call);
  } catch (error) {
    if (ConnectError.from(error).code !== Code.PermissionDenied) throw error;
  } finally {
    invocation.close();
  }
}

function isUnauthenticated(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unauthenticated;
}

/** Wherever a command is run its files are the same. */
function absoluteFiles({ ca, cert, certKey }: GlobalOptions): Omit<Profile, "server"> {
  const [caFile, certFile, keyFile] = [ca, cert, certKey].map((file) => file && resolve(file));
  return { ca: caFile, cert: certFile, certKey: keyFile };
}

function isExposed(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  return protocol === "http:" && !/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}
