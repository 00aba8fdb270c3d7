import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./process.mjs";

/** The sources whose folders are checked, each with the maximum numbers of folders and files at its top. */
const SOURCES = [
  { source: "apps/server/src", maxFolders: 14, maxFiles: 8 },
  { source: "apps/console/src", maxFolders: 10, maxFiles: 1 },
];

/** Tests, and the code that only they import. They may import from all folders. */
const TESTS = /\.test\.ts$|\/src\/testing\//;

/**
 * Checks the layout of the sources: no import cycles between files, and in the server and the console none between folders, both
 * including type imports; few entries at the top of these two. Biome's rule for cycles takes five seconds of processor time longer.
 *
 * @throws Error that names one cycle of each kind and every excess.
 */
export function checkLayout() {
  const imports = readImports();
  const problems = [
    findCycle(imports, "files import each other"),
    ...SOURCES.flatMap((source) => checkSource(source, imports)),
  ].filter((problem) => problem !== undefined);
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

function checkSource({ source, ...limits }, imports) {
  const isChecked = (file) => file.startsWith(`${source}/`) && !TESTS.test(file);
  const own = Array.from(imports, ([file, targets]) => [file, Array.from(targets).filter(isChecked)]);
  const folders = foldersOf(own.filter(([file]) => isChecked(file)));
  return [findCycle(folders, "folders import each other"), ...findExcess(source, limits)];
}

/** Maps every module of the repository to the modules that it imports by a relative path, statically or dynamically. */
function readImports() {
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const files = new Set(listed.split("\n").filter((file) => /\.(?:tsx?|mjs)$/.test(file)));
  return new Map(Array.from(files, (file) => [file, importsOf(file, files)]));
}

/** Returns the modules that a file imports. Imports of the console have no ending. */
function importsOf(file, files) {
  const text = readFileSync(join(root, file), "utf8");
  const specifiers = Array.from(text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*"(\.[^"]+)"/gm), ([, found]) => found);
  const targets = specifiers.map((specifier) => join(dirname(file), specifier).replaceAll("\\", "/"));
  return new Set(
    targets.flatMap((target) =>
      ["", ".ts", ".tsx"].map((ending) => target.replace(/\.js$/, "") + ending).filter((path) => files.has(path)),
    ),
  );
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

function findExcess(source, { maxFolders, maxFiles }) {
  const entries = readdirSync(join(root, source), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== "gen").length;
  const files = entries.filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.tsx?$/.test(entry.name)).length;
  return [
    folders > maxFolders
      ? `${source} has ${folders} folders: put new code into one of the folders listed in CONTRIBUTING.md`
      : undefined,
    files > maxFiles
      ? `${source} has ${files} files: put new code into one of the folders listed in CONTRIBUTING.md`
      : undefined,
  ];
}
