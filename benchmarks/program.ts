import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Finds a program that does not come from npm: in the variable with its name in upper case, such as `WRK`, on the PATH, or in the folder of
 * PostgreSQL's Debian packages.
 *
 * @throws Error if the program is not installed.
 */
export function findProgram(name: "wrk" | "psql"): string {
  const folders = [...(process.env.PATH ?? "").split(delimiter), ...globSync("/usr/lib/postgresql/*/bin")];
  const variable = name.toUpperCase();
  const program = process.env[variable] || folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (program !== undefined) return program;
  throw new Error(`${name} is not installed: install its package, or set ${variable} to its path`);
}
