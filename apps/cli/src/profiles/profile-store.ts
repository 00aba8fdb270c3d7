import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileErrorText } from "../import/file-error.js";
import { UsageError } from "../usage-error.js";
import { type Profile, profileFromJson, profileToJson, requireProfileName } from "./profile.js";

const ENDING = ".json";

/** Permissions of everyone but the owner. Windows has none of the kind: there the folder is the user's own. */
const OTHERS = process.platform === "win32" ? 0 : 0o077;

/** The folder of the profiles: in XDG_CONFIG_HOME (XDG Base Directory Specification), in Windows in APPDATA, else in `~/.config`. */
export function profileFolder(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const config = XDG_CONFIG_HOME || (process.platform === "win32" && APPDATA) || join(homedir(), ".config");
  return join(config, "calltrack", "profiles");
}

/** The file that a profile is kept in. */
export function profileFile(name: string): string {
  return join(profileFolder(), requireProfileName(name) + ENDING);
}

/**
 * Reads a profile; undefined if there is none of the name. Throws a UsageError for a file that others can read, that cannot be
 * read, or that has something else in it.
 */
export async function findProfile(name: string): Promise<Profile | undefined> {
  const file = profileFile(name);
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const { mode } = await handle.stat();
    if ((mode & OTHERS) !== 0) throw new UsageError(`${file} has a key and can be read by others: chmod 600 ${file}`);
    const profile = profileFromJson(await handle.readFile("utf8"));
    if (profile === undefined)
      throw new UsageError(`${file} is no profile: calltrack login --profile ${name} makes it anew`);
    return profile;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof UsageError ? error : new UsageError(`${file} can't be read: ${fileErrorText(error)}`);
  } finally {
    await handle?.close();
  }
}

/** The names of all profiles, in order. */
export async function listProfileNames(): Promise<readonly string[]> {
  const files = await readdir(profileFolder()).catch((error) => (isAbsent(error) ? [] : Promise.reject(error)));
  return files
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** Keeps a profile, for its owner alone to read. A reader sees the whole of it, or of the one before. */
export async function keepProfile(name: string, profile: Profile): Promise<void> {
  const file = profileFile(name);
  const next = `${file}.${randomUUID()}`;
  try {
    await mkdir(profileFolder(), { recursive: true, mode: 0o700 });
    const handle = await open(next, "wx", 0o600);
    await handle.writeFile(profileToJson(profile));
    await handle.sync();
    await handle.close();
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw new UsageError(`${file} can't be written: ${fileErrorText(error)}`);
  }
}

/** Forgets a profile; false if there is none of the name. */
export async function forgetProfile(name: string): Promise<boolean> {
  const file = profileFile(name);
  return await rm(file).then(
    () => true,
    (error) =>
      isAbsent(error) ? false : Promise.reject(new UsageError(`${file} can't be removed: ${fileErrorText(error)}`)),
  );
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
