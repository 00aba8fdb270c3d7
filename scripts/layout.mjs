import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { root } from "./process.mjs";

const SOURCE = "apps/server/src";

const MAX_FOLDERS = 14;
const MAX_FILES = 8;

/** Generated code, and code that only tests import. */
const UNCHECKED = new Set(["gen", "testing"]);

/**
 * Checks the layout of the server's source: no import cycles between files or between folders, including type imports, and few
 * entries at the top. Biome's `noImportCycles` ignores type imports and folders.
 *
 * @throws Error that names one cycle of each kind and every excess.
 */
export function checkLayout() {
  const files = listFiles(join(root, SOURCE)).map((file) => relative(join(root, SOURCE), file).replaceAll(sep, "/"));
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const problems = [
    findCycle(imports, "files import each other"),
    findCycle(foldersOf(imports), "folders import each other"),
    ...findExcess(),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(`${SOURCE}: ${problems.join(`\n${SOURCE}: `)}`);
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return UNCHECKED.has(entry.name) ? [] : listFiles(path);
    return isModule(entry.name) ? [path] : [];
  });
}

function isModule(name) {
  return name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.endsWith(".d.ts");
}

/** Returns the files that a file imports, statically or dynamically. */
function importsOf(file) {
  const text = readFileSync(join(root, SOURCE, file), "utf8");
  const specifiers = Array.from(text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm), ([, found]) => found);
  const targets = specifiers.map((specifier) =>
    resolve("/", dirname(file), specifier).slice(1).replace(/\.js$/, ".ts"),
  );
  return new Set(targets.filter((target) => !UNCHECKED.has(target.split("/")[0])));
}

/** Maps every folder to the folders that it imports. */
function foldersOf(imports) {
  const folders = new Map();
  for (const [file, targets] of imports) {
    const from = dirname(file);
    const found = folders.get(from) ?? new Set();
    folders.set(from, found);
    for (const target of targets) if (dirname(target) !== from) found.add(dirname(target));
  }
  return folders;
}

/** Describes the first cycle of a graph; undefined if it has none. */
function findCycle(graph, problem) {
  const finished = new Set();
  const path = [];
  const visit = (node) => {
    if (finished.has(node)) return undefined;
    const start = path.indexOf(node);
    if (start !== -1) return [...path.slice(start), node];
    path.push(node);
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next);
      if (cycle !== undefined) return cycle;
    }
    finished.add(path.pop());
    return undefined;
  };
  for (const node of graph.keys()) {
    const cycle = visit(node);
    if (cycle !== undefined) return `${problem}: ${cycle.join(" → ")}`;
  }
  return undefined;
}

function findExcess() {
  const entries = readdirSync(join(root, SOURCE), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "gen").length;
  const files = entries.filter((entry) => entry.isFile() && isModule(entry.name)).length;
  return [
    folders > MAX_FOLDERS
      ? `${folders} folders: put new code into one of the folders listed in CONTRIBUTING.md`
      : undefined,
    files > MAX_FILES ? `${files} files: put new code into one of the folders listed in CONTRIBUTING.md` : undefined,
  ];
}
