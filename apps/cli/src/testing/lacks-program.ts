import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Reports whether a program is not installed. Always false in CI, so that a missing program fails tests instead of skipping them. */
export async function lacksProgram(file: string, ...args: string[]): Promise<boolean> {
  if (process.env.CI === "true") return false;
  return await promisify(execFile)(file, args).then(
    () => false,
    () => true,
  );
}
