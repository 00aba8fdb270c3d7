import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { UsageError } from "../process/usage-error.js";
import { formatFileError } from "../text/format-file-error.js";
import { type Profile, profileFromJson, profileToJson, requireProfileName } from "./profile.js";

const EXTENSION = ".json";

/** Permission bits of the group and of other users. Windows has no such bits, and the folder of profiles is private to the user there. */
const OTHERS = process.platform === "win32" ? 0 : 0o077;

/**
 * Returns the folder of the profiles. It is below XDG_CONFIG_HOME (XDG Base Directory Specification), below APPDATA on Windows, or otherwise
 * below `~/.config`. Returns undefined if the home folder is unknown.
 */
export function findProfileFolderPath(): string | undefined {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const config = XDG_CONFIG_HOME || (process.platform === "win32" && APPDATA) || findHomeConfig();
  return config && join(config, "calltrack", "profiles");
}

function findHomeConfig(): string | undefined {
  try {
    const home = homedir();
    return home === "" ? undefined : join(home, ".config");
  } catch {
    // `homedir()` throws in containers that run as a user with neither HOME nor an entry in /etc/passwd.
    return undefined;
  }
}

/** Returns the path of a profile's file; undefined if the folder of the profiles is unknown. */
function findProfileFile(name: string): string | undefined {
  const [folder, file] = [findProfileFolderPath(), requireProfileName(name) + EXTENSION];
  return folder && join(folder, file);
}

/** Returns the path of a profile's file. Throws UsageError if the folder of the profiles is unknown. */
export function requireProfileFilePath(name: string): string {
  const file = findProfileFile(name);
  if (file === undefined) throw new UsageError("your home folder is unknown: set HOME or XDG_CONFIG_HOME");
  return file;
}

/**
 * Reads a profile. Returns undefined if it does not exist.
 *
 * @throws UsageError if the file is readable by others, cannot be read, or is not a profile.
 */
export async function findProfile(name: string): Promise<Profile | undefined> {
  const file = findProfileFile(name);
  if (file === undefined) return undefined;
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, "r");
    const { mode } = await handle.stat();
    if ((mode & OTHERS) !== 0)
      throw new UsageError(`${file} contains a key and is readable by others: run chmod 600 ${file}`);
    const profile = profileFromJson(await handle.readFile("utf8"));
    if (profile === undefined)
      throw new UsageError(`${file} is not a valid profile: replace it with calltrack login --profile ${name}`);
    return profile;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error instanceof UsageError ? error : new UsageError(`${file} cannot be read: ${formatFileError(error)}`);
  } finally {
    await handle?.close();
  }
}

/** Lists the names of all profiles in alphabetical order. */
export async function listProfileNames(): Promise<readonly string[]> {
  const folder = findProfileFolderPath();
  if (folder === undefined) return [];
  const files = await readdir(folder).catch((error) => (isAbsent(error) ? [] : Promise.reject(error)));
  return files
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => file.slice(0, -EXTENSION.length))
    .sort();
}

/** Saves a profile in a file that only its owner can read. The file is replaced atomically. */
export async function saveProfile(name: string, profile: Profile): Promise<void> {
  const file = requireProfileFilePath(name);
  const next = `${file}.${randomUUID()}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(next, profileToJson(profile), { flag: "wx", mode: 0o600, flush: true });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw new UsageError(`${file} cannot be written: ${formatFileError(error)}`);
  }
}

/** Deletes a profile; returns false if it does not exist. */
export async function deleteProfile(name: string): Promise<boolean> {
  const file = requireProfileFilePath(name);
  return await rm(file).then(
    () => true,
    (error) =>
      isAbsent(error) ? false : Promise.reject(new UsageError(`${file} cannot be deleted: ${formatFileError(error)}`)),
  );
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}
