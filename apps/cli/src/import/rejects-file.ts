import { open, realpath } from "node:fs/promises";
import { UsageError } from "../usage-error.js";
import { fileErrorText } from "./file-error.js";

/** A file that takes the rows that were refused. */
export interface RejectsFile {
  /** Adds one row, in the format of the file. */
  add(text: string): Promise<void>;
  close(): Promise<void>;
}

/** Replaces a file by one that begins with `header`. Throws a `UsageError` where it can't be written or is the imported file. */
export async function openRejectsFile(file: string, header: string, importedFile: string): Promise<RejectsFile> {
  if (await isSameFile(file, importedFile))
    throw new UsageError("--rejects names the file that is imported: name another");
  try {
    const handle = await open(file, "w");
    await handle.write(header);
    return { add: async (text) => void (await handle.write(text)), close: () => handle.close() };
  } catch (error) {
    throw new UsageError(`${file} can't be written: ${fileErrorText(error)}`, { cause: error });
  }
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const paths = await Promise.allSettled([realpath(one), realpath(other)]);
  return paths[0].status === "fulfilled" && paths[1].status === "fulfilled" && paths[0].value === paths[1].value;
}
