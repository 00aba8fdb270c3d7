import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve, sep } from "node:path";
import { parseArgs } from "node:util";
import { findMutations } from "./mutations.mjs";
import { commandOf, environment, node, root } from "./process.mjs";

const NOT_COPIED = new Set([".git", ".data", ".turbo", "node_modules"].map((name) => join(root, name)));

const USAGE = "usage: npm run mutants -- FOLDER [--tests PATTERN,PATTERN] [--count 20] [--seed 1]";

/**
 * Runs mutation tests on a folder: applies one small change at a time to a copy of the repository, and runs the tests. Prints
 * the changes that no test notices, which point to missing tests or needless code.
 *
 * @param {string[]} args the folder; `--tests` selects further test files by parts of their paths.
 * @throws Error if the arguments are invalid, or the tests fail without a change.
 */
export function runMutants(args) {
  const { folder, patterns, count, seed } = readArguments(args);
  const copy = mkdtempSync(join(tmpdir(), "calltrack-mutants-"));
  try {
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter: (file) => !NOT_COPIED.has(file) });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const workspace = { copy, folder, patterns };
    if (!compiles(workspace) || !passes(workspace)) throw new Error("the tests fail without a mutation");
    const tally = { detected: 0, undetected: 0 };
    for (const mutant of shuffle(findAll(folder), seed)) {
      if (tally.detected + tally.undetected === count) break;
      const outcome = tryMutant(workspace, mutant);
      if (outcome !== undefined) tally[outcome]++;
    }
    console.log(`${folder}: ${tally.detected} of ${tally.detected + tally.undetected} mutations detected`);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function readArguments(args) {
  const options = { tests: { type: "string" }, count: { type: "string" }, seed: { type: "string" } };
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const [count, seed] = [Number(values.count ?? 20), Number(values.seed ?? 1)];
  const folder = relative(root, resolve(root, positionals[0] ?? ""));
  const isInside = /^(?:packages|apps)\W[\w-]+\Wsrc/.test(folder);
  if (positionals.length !== 1 || !isInside || !(count >= 1) || !Number.isInteger(seed)) throw new Error(USAGE);
  return { folder, patterns: [`${folder}${sep}`, ...(values.tests?.split(",") ?? [])], count, seed };
}

/** Lists all changes of all source files of a folder. */
function findAll(folder) {
  const files = readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name));
  return files
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\.d\.ts$|[\\/](?:gen|testing)[\\/]/.test(file))
    .flatMap((file) =>
      findMutations(readFileSync(join(root, file), "utf8")).map((mutation) => ({ file, ...mutation })),
    );
}

/** Returns `detected` or `undetected`, or undefined if the change does not compile. */
function tryMutant(workspace, { file, line, operator, before, after, text }) {
  const path = join(workspace.copy, file);
  const original = readFileSync(path);
  writeFileSync(path, text);
  const outcome = compiles(workspace) ? (passes(workspace) ? "undetected" : "detected") : undefined;
  writeFileSync(path, original);
  if (outcome === undefined) return outcome;
  console.log(`${outcome}: ${operator} in ${file}:${line}`);
  if (outcome === "undetected") console.log(`  - ${before.trim()}\n  + ${after.trim()}`);
  return outcome;
}

/** Builds the package, because tests also run built code; for the command line, its bundle. */
function compiles({ copy, folder }) {
  const packageFolder = join(...folder.split(sep).slice(0, 2));
  const bundler = join(copy, packageFolder, "bundle.mjs");
  return run(copy, "tsc", ["-b", packageFolder]) && (!existsSync(bundler) || run(copy, node, [bundler]));
}

function passes({ copy, patterns }) {
  return run(copy, "vitest", ["run", "--bail=1", ...patterns]);
}

function run(cwd, program, args) {
  const [file, ...entry] = commandOf(program);
  return spawnSync(file, [...entry, ...args], { cwd, env: environment, stdio: "ignore" }).status === 0;
}

/** Shuffles in the same order for the same seed (Mulberry32). */
function shuffle(items, seed) {
  let state = seed;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}
