import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Reports whether a program is not installed. CI installs all, so there a missing one is a failure and skips no test. */
export async function lacksProgram(file: string, ...args: string[]): Promise<boolean> {
  if (process.env.CI === "true") return false;
  return await promisify(execFile)(file, args).then(
    () => false,
    () => true,
  );
}
