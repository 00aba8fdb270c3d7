import { open, realpath } from "node:fs/promises";
import { UsageError } from "../process/usage-error.js";
import { fileErrorText } from "../text/file-error.js";

/** A file of refused rows. */
export interface RejectsFile {
  /** Appends a row. */
  add(text: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * Creates or replaces a rejects file that starts with `header`.
 *
 * @throws UsageError if it cannot be written or is the imported file.
 */
export async function openRejectsFile(file: string, header: string, importedFile: string): Promise<RejectsFile> {
  if (await isSameFile(file, importedFile)) throw new UsageError("--rejects must not name the imported file");
  const failWith = (error: unknown): never => {
    throw new UsageError(`${file} cannot be written: ${fileErrorText(error)}`, { cause: error });
  };
  const handle = await open(file, "w").catch(failWith);
  const add = (text: string) => handle.appendFile(text).catch(failWith);
  await add(header).catch(async (error) => {
    await handle.close();
    throw error;
  });
  return { add, close: () => handle.close() };
}

async function isSameFile(one: string, other: string): Promise<boolean> {
  const paths = await Promise.allSettled([realpath(one), realpath(other)]);
  return paths[0].status === "fulfilled" && paths[1].status === "fulfilled" && paths[0].value === paths[1].value;
}
