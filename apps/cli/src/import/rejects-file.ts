import { type BigIntStats, constants, fstat, stat } from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { UsageError } from "../process/usage-error.js";
import { formatFileError } from "../text/format-file-error.js";

export interface RejectsFile {
  add(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Paths or file descriptors of the files that a command uses, keyed by the name of the file in error messages. Undefined values are ignored. */
export type UsedFilesByName = Readonly<Record<string, string | number | undefined>>;

/** Flags that do not truncate the file, because it may be one that the command reads. */
const WRITE = constants.O_WRONLY | constants.O_CREAT;

/**
 * Creates or replaces a rejects file that starts with `header`.
 *
 * @throws UsageError if the file cannot be written, or is one of the used files under any name.
 */
export async function openRejectsFile(file: string, header: string, used: UsedFilesByName): Promise<RejectsFile> {
  const failWith = (error: unknown): never => {
    throw new UsageError(`${file} cannot be written: ${formatFileError(error)}`, { cause: error });
  };
  const handle = await open(file, WRITE).catch(failWith);
  const add = (text: string) => handle.appendFile(text).catch(failWith);
  try {
    const status = await handle.stat({ bigint: true });
    // Devices and pipes have no contents that could be lost.
    if (status.isFile()) {
      await requireUnused(status, used);
      await handle.truncate().catch(failWith);
    }
    await add(header);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return { add, close: () => handle.close() };
}

/** Compares device and inode instead of names, because links and redirections give a file several names. */
async function requireUnused(status: BigIntStats, used: UsedFilesByName): Promise<void> {
  for (const [name, place] of Object.entries(used)) {
    const other = await statusOf(place).catch(() => undefined);
    if (other?.dev === status.dev && other.ino === status.ino)
      throw new UsageError(`--rejects must not name ${name}: name another file`);
  }
}

async function statusOf(place: string | number | undefined): Promise<BigIntStats | undefined> {
  if (place === undefined) return undefined;
  return typeof place === "string"
    ? await promisify(stat)(place, { bigint: true })
    : await promisify(fstat)(place, { bigint: true });
}
