import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Returns the path of a program that does not come from npm. The environment variable with the program's name in upper case, such as `WRK`, takes
 * precedence. Otherwise, searches the PATH and the folders of PostgreSQL's Debian packages.
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
