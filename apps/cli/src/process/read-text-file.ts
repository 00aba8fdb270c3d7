import { readFileSync } from "node:fs";
import { formatFileError } from "../text/format-file-error.js";
import { UsageError } from "./usage-error.js";

/** Reads a UTF-8 file that an argument names. Throws UsageError if it cannot be read. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${formatFileError(error)}`, { cause: error });
  }
}
