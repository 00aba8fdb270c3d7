// A step of the checks, as a program of its own: it runs modules of the project, which need the project's Node.js.
import { execFileSync } from "node:child_process";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import jsTokens from "js-tokens";
import recheck from "recheck/lib/browser.js";
import { ALLOWED_CALLS, CONSTRUCTORS, LIBRARY_EXPRESSIONS, UNCHECKED_CONSTRUCTORS } from "./expression-exceptions.mjs";
import { root } from "./process.mjs";

/** The shipped sources. */
const SOURCE = /^(?:packages|apps)\/.*\.(?:[cm]?js|tsx?)$/;
const TEST = /\.test\.tsx?$|\/(?:testing|conformance)\/|\/screenshots\.mjs$/;

/** The server with its libraries. */
const BUNDLE = "apps/server/dist/bundle/*.js";

/** Expressions that were found to be linear. The proof of one takes up to half a minute, so the list is committed. */
const PROVEN = join(root, "scripts", "linear-expressions.json");

/** Mostly limits of steps instead of time, so that the result is the same on every machine. */
const LIMITS = { timeout: 120_000, attackTimeout: null, incubationTimeout: null, randomSeed: 1 };

/**
 * Checks that the time of each regular expression is linear in the length of its text: in the sources, and in the libraries of the
 * server. Also checks that the sources call functions of Node whose time is not linear only where an exception gives the reason.
 * Adds new proven expressions to the list, and removes those that no longer exist.
 *
 * @throws Error that lists the findings, each with its place.
 */
async function checkExpressions() {
  const sources = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root })
    .toString()
    .split("\n")
    .filter((file) => SOURCE.test(file) && !TEST.test(file) && existsSync(join(root, file)))
    .map(readTokens);
  const bundle = globSync(BUNDLE, { cwd: root }).map(readTokens);
  if (bundle.length === 0) throw new Error(`${BUNDLE} does not exist: run npm run build`);
  const places = new Map([...bundle, ...sources].flatMap(({ literals }) => literals));
  for (const each of await constructExpressions()) places.set(...each);
  const proven = new Set(JSON.parse(readFileSync(PROVEN, "utf8")));
  const examined = [...places.keys()].filter((each) => !isShort(each) && !LIBRARY_EXPRESSIONS.has(each));
  const problems = new Map(examined.map((each) => [each, proven.has(each) ? undefined : findProblem(each)]));
  const linear = examined.filter((each) => problems.get(each) === undefined);
  const list = `${JSON.stringify(linear.sort(), undefined, 2)}\n`;
  if (list !== readFileSync(PROVEN, "utf8")) writeFileSync(PROVEN, list);
  const findings = [
    ...sources.flatMap(findCalls),
    ...examined.flatMap((each) => (linear.includes(each) ? [] : `${places.get(each)}: ${each} ${problems.get(each)}`)),
    ...[...LIBRARY_EXPRESSIONS.keys()].flatMap((each) =>
      places.has(each) ? [] : `${each} does not exist: remove the exception`,
    ),
  ];
  if (findings.length > 0) throw new Error(`expressions that are not linear:\n${findings.join("\n")}`);
}

/** Reads the literal expressions of a file, each with its place, and the names that it calls. */
function readTokens(file) {
  const literals = [];
  const names = new Set();
  let line = 1;
  let name;
  for (const { type, value } of jsTokens(readFileSync(join(root, file), "utf8"), { jsx: file.endsWith("x") })) {
    if (type === "RegularExpressionLiteral") literals.push([value, `${file}:${line}`]);
    if (value === "(" && name !== undefined) names.add(name);
    name = type === "IdentifierName" ? value : undefined;
    line += value.split("\n").length - 1;
  }
  return { file, literals, names };
}

/** Runs the modules that construct expressions, and returns the expressions with their places. */
async function constructExpressions() {
  const found = [];
  const plain = globalThis.RegExp;
  for (const [place, file, use] of CONSTRUCTORS) {
    globalThis.RegExp = new Proxy(plain, {
      construct(target, parameters) {
        const expression = new target(...parameters);
        found.push([String(expression), place]);
        return expression;
      },
    });
    try {
      const path = file ?? createRequire(join(root, place)).resolve(place.split("/").at(-1));
      use?.(await import(join(root, path)));
    } finally {
      globalThis.RegExp = plain;
    }
  }
  return found;
}

/** Finds names that need an exception: `RegExp`, and the functions of Node whose time is not linear. */
function findCalls({ file, names }) {
  const found = [];
  const constructs = CONSTRUCTORS.some(([place]) => place === file) || UNCHECKED_CONSTRUCTORS.has(file);
  if (names.has("RegExp") && !constructs)
    found.push(`${file}: constructs an expression: write a literal, or list the file`);
  for (const [name, files] of ALLOWED_CALLS)
    if (names.has(name) && !files.has(file))
      found.push(`${file}: ${name} is not linear: bound its text, and list the file`);
  return found;
}

/**
 * Returns whether an expression has no unbounded repetition and no repeated group, and repeats one character at most. Its matches are short,
 * so that it needs no proof.
 */
function isShort(expression) {
  const bare = expression.replace(/\\(?:[pP]\{[^}]*\}|.)/g, "x").replace(/\[[^\]]*\]/g, "x");
  return !/[*+]|\{\d+,\}|\)\{|\(\?<[=!]/.test(bare) && (bare.match(/\{\d+,\d+\}/g) ?? []).length <= 1;
}

/** Returns how the time of an expression grows, with an example; undefined if it grows linearly. */
function findProblem(expression) {
  const end = expression.lastIndexOf("/");
  const result = recheck.checkSync(expression.slice(1, end), expression.slice(end + 1), LIMITS);
  if (result.status === "safe") return undefined;
  if (result.status === "unknown") return `cannot be checked (${result.error.kind}): simplify it`;
  return `is ${result.complexity.summary}: for example ${result.attack.pattern}`;
}

try {
  await checkExpressions();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
