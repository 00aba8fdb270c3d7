import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds a program of PostgreSQL: by the variable with its name in upper case, such as `PGBENCH`, or where packages install it.
 *
 * @returns undefined if it is not installed.
 */
export function findPostgresProgram(name: "pgbench" | "psql"): string | undefined {
  const places = [
    ...globSync(`/usr/lib/postgresql/*/bin/${name}`).sort().reverse(),
    ...["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin"].map((folder) => join(folder, name)),
  ];
  return process.env[name.toUpperCase()] || places.find((place) => existsSync(place));
}
