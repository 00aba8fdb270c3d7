import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Finds the files that are missing in one of two folders, or differ.
 *
 * @returns {string[]} their relative paths, sorted.
 */
export function findDifferences(one, other) {
  const [files, others] = [filesOf(one), filesOf(other)];
  const isSame = (file) =>
    files.has(file) && others.has(file) && readFileSync(join(one, file)).equals(readFileSync(join(other, file)));
  return [...new Set([...files, ...others])].filter((file) => !isSame(file)).sort();
}

function filesOf(folder) {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1)),
  );
}
