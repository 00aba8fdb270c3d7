import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { root } from "./process.mjs";

/** The sources whose imports are checked, each with the maximum numbers of folders and files at its top. */
const SOURCES = [
  { source: "apps/server/src", maxFolders: 14, maxFiles: 8 },
  { source: "apps/console/src", maxFolders: 10, maxFiles: 1 },
];

/** Generated code, and code that only tests import. */
const UNCHECKED = new Set(["gen", "testing"]);

/**
 * Checks the layout of the sources of the server and the console: no import cycles between files or between folders, including type
 * imports, and few entries at the top. Biome's `noImportCycles` ignores type imports and folders.
 *
 * @throws Error that names one cycle of each kind and every excess.
 */
export function checkLayout() {
  for (const source of SOURCES) checkSource(source);
}

function checkSource({ source, ...limits }) {
  const folder = join(root, source);
  const files = listFiles(folder).map((file) => relative(folder, file).replaceAll(sep, "/"));
  const imports = new Map(files.map((file) => [file, importsOf(folder, file, files)]));
  const problems = [
    findCycle(imports, "files import each other"),
    findCycle(foldersOf(imports), "folders import each other"),
    ...findExcess(folder, limits),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(`${source}: ${problems.join(`\n${source}: `)}`);
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return UNCHECKED.has(entry.name) ? [] : listFiles(path);
    return isModule(entry.name) ? [path] : [];
  });
}

function isModule(name) {
  return /\.tsx?$/.test(name) && !/\.(?:test|d)\.ts$/.test(name);
}

/** Returns the files that a file imports, statically or dynamically. Imports of the console have no ending. */
function importsOf(folder, file, files) {
  const text = readFileSync(join(folder, file), "utf8");
  const specifiers = Array.from(text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm), ([, found]) => found);
  const targets = specifiers.map((specifier) => {
    const target = resolve("/", dirname(file), specifier).slice(1).replace(/\.js$/, "");
    return files.find((each) => each === `${target}.ts` || each === `${target}.tsx`) ?? target;
  });
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

function findExcess(folder, { maxFolders, maxFiles }) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "gen").length;
  const files = entries.filter((entry) => entry.isFile() && isModule(entry.name)).length;
  return [
    folders > maxFolders
      ? `${folders} folders: put new code into one of the folders listed in CONTRIBUTING.md`
      : undefined,
    files > maxFiles ? `${files} files: put new code into one of the folders listed in CONTRIBUTING.md` : undefined,
  ];
}
