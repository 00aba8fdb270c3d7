// Checks regular expressions. This is a separate program, because it runs modules that need the Node.js version that the project installs. npm
// scripts can run on an older version.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import jsTokens from "js-tokens";
import recheck from "recheck/lib/browser.js";
import {
  ALLOWED_NONLINEAR_CALLS,
  LIBRARY_REGEXP_EXCEPTIONS,
  REGEXP_CONSTRUCTING_MODULES,
  UNCHECKED_REGEXP_MODULES,
} from "./expression-exceptions.mjs";
import { repositoryRoot } from "./process.mjs";

const SOURCE = /^(?:packages|apps)\/.*\.(?:[cm]?js|tsx?)$/;
const TEST = /\.test\.tsx?$|\/(?:testing|conformance)\/|\/screenshots\.mjs$/;

const BUNDLE = "apps/server/dist/bundle/*.js";

/** The file with the regular expressions that are proven to take linear time. One proof takes up to half a minute, so the file is committed. */
const PROVEN = join(repositoryRoot, "scripts", "linear-expressions.json");

/**
 * The limits of a proof. Except for a generous total timeout, the limits are numbers of steps, and the seed is fixed, so that the result is the same
 * on every machine.
 */
const LIMITS = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };

/**
 * Checks that each regular expression in the sources and in the server's libraries takes linear time. Also checks that the sources call nonlinear
 * functions of Node.js only where an exception gives the reason. Adds newly proven expressions to the file `PROVEN`, and removes those that no longer
 * exist.
 *
 * @throws Error that lists the findings, each with its place.
 */
async function checkExpressions() {
  const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repositoryRoot,
  })
    .toString()
    .split("\n")
    .filter((file) => SOURCE.test(file) && !TEST.test(file) && existsSync(join(repositoryRoot, file)))
    .map(readTokens);
  const bundle = globSync(BUNDLE, { cwd: repositoryRoot }).map(readTokens);
  if (bundle.length === 0) throw new Error(`${BUNDLE} does not exist: run npm run build`);
  const places = new Map([...bundle, ...sources].flatMap(({ literals }) => literals));
  for (const each of await constructExpressions()) places.set(...each);
  const proven = new Set(JSON.parse(readFileSync(PROVEN, "utf8")));
  const examined = [...places.keys()].filter((each) => !isShort(each) && !LIBRARY_REGEXP_EXCEPTIONS.has(each));
  const problems = new Map(examined.map((each) => [each, proven.has(each) ? undefined : findProblem(each)]));
  const linear = examined.filter((each) => problems.get(each) === undefined);
  const list = `${JSON.stringify(linear.sort(), undefined, 2)}\n`;
  if (list !== readFileSync(PROVEN, "utf8")) writeFileSync(PROVEN, list);
  const findings = [
    ...sources.flatMap(findCalls),
    ...examined.flatMap((each) => (linear.includes(each) ? [] : `${places.get(each)}: ${each} ${problems.get(each)}`)),
    ...[...LIBRARY_REGEXP_EXCEPTIONS.keys()].flatMap((each) =>
      places.has(each) ? [] : `${each} is in no module: remove it from LIBRARY_REGEXP_EXCEPTIONS`,
    ),
  ];
  if (findings.length > 0) throw new Error(`text processing that may not take linear time:\n${findings.join("\n")}`);
}

/** Returns the regular expression literals of a file, each with its place, and the names of the functions that the file calls. */
function readTokens(file) {
  const literals = [];
  const names = new Set();
  let line = 1;
  let name;
  for (const { type, value } of jsTokens(readFileSync(join(repositoryRoot, file), "utf8"), {
    jsx: file.endsWith("x"),
  })) {
    if (type === "RegularExpressionLiteral") literals.push([value, `${file}:${line}`]);
    if (value === "(" && name !== undefined) names.add(name);
    name = type === "IdentifierName" ? value : undefined;
    line += value.split("\n").length - 1;
  }
  return { file, literals, names };
}

/** Runs the modules that construct regular expressions. Returns each expression with the path of its module. */
async function constructExpressions() {
  const found = [];
  const plain = globalThis.RegExp;
  for (const [place, file, use] of REGEXP_CONSTRUCTING_MODULES) {
    globalThis.RegExp = new Proxy(plain, {
      construct(target, parameters) {
        const expression = new target(...parameters);
        found.push([String(expression), place]);
        return expression;
      },
    });
    try {
      const path = file ?? createRequire(join(repositoryRoot, place)).resolve(place.split("/").at(-1));
      use?.(await import(join(repositoryRoot, path)));
    } finally {
      globalThis.RegExp = plain;
    }
  }
  return found;
}

/** Finds calls of `RegExp` and of nonlinear functions for which there is no exception. */
function findCalls({ file, names }) {
  const found = [];
  const constructs =
    REGEXP_CONSTRUCTING_MODULES.some(([place]) => place === file) || UNCHECKED_REGEXP_MODULES.has(file);
  if (names.has("RegExp") && !constructs)
    found.push(
      `${file}: constructs a regular expression: write a literal, or add the file to REGEXP_CONSTRUCTING_MODULES`,
    );
  for (const [name, files] of ALLOWED_NONLINEAR_CALLS)
    if (names.has(name) && !files.has(file))
      found.push(`${file}: ${name} is not linear: limit its text, and add the file to ALLOWED_NONLINEAR_CALLS`);
  return found;
}

/**
 * Reports whether a regular expression has no unlimited repetition, no repeated group, and at most one other repetition. The matches of such an
 * expression are short, so it needs no proof.
 */
function isShort(expression) {
  const bare = expression.replace(/\\(?:[pP]\{[^}]*\}|.)/g, "x").replace(/\[[^\]]*\]/g, "x");
  return !/[*+]|\{\d+,\}|\)\{|\(\?<[=!]/.test(bare) && (bare.match(/\{\d+,\d+\}/g) ?? []).length <= 1;
}

/**
 * Describes how the matching time of a regular expression grows with the length of the text, and gives an example. Returns undefined if the time
 * grows linearly.
 */
function findProblem(expression) {
  const end = expression.lastIndexOf("/");
  const result = recheck.checkSync(expression.slice(1, end), expression.slice(end + 1), LIMITS);
  if (result.status === "safe") return undefined;
  if (result.status === "unknown") return `cannot be checked (${result.error.kind}): simplify it`;
  return `takes ${result.complexity.summary} time, for example for ${result.attack.pattern}`;
}

try {
  await checkExpressions();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
