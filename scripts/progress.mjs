import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { commandOf, environment, root } from "./process.mjs";

/** Shorter steps are not shown, so that a start with everything in place stays quiet. */
const SHOWN_AFTER_MS = 1000;

/** Time between two lines. */
const LINE_MS = 5000;

/**
 * Runs a program and shows on stderr what it does and for how long: its last line every 5 seconds, and at the end the time. Its output is
 * printed only if it fails.
 *
 * @param {string} title
 * @param {[program: string, ...args: string[]]} command
 * @throws Error if it fails.
 */
export async function runStep(title, [program, ...args]) {
  const [file, ...entry] = commandOf(program);
  const child = spawn(file, [...entry, ...args], { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const finish = showProgress(title, () => lastLine(output));
  const [code, cause] = await new Promise((resolve) => {
    child.once("close", (status) => resolve([status, undefined]));
    child.once("error", (error) => resolve([undefined, error]));
  });
  finish(code === 0);
  if (code === 0) return;
  process.stderr.write(output);
  throw new Error(`${program} ${args.join(" ")} failed`, { cause });
}

/** Returns the last line of an output, without colours and turbo's hash of a task. */
function lastLine(output) {
  const line = stripVTControlCharacters(output).trimEnd().split("\n").at(-1) ?? "";
  return line.trim().replace(/:(?: cache (?:hit|miss), .*)?$/, "");
}

/** Shows a step until the returned function is called. */
function showProgress(title, readDetail) {
  const start = performance.now();
  const elapsed = () => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  const show = (text) => process.stderr.write(`${title}${text}\n`);
  let repeated;
  const begin = setTimeout(() => {
    show(" …");
    repeated = setInterval(() => show(`, ${elapsed()}: ${readDetail()}`), LINE_MS);
  }, SHOWN_AFTER_MS);
  return (isDone) => {
    clearTimeout(begin);
    clearInterval(repeated);
    if (performance.now() - start >= SHOWN_AFTER_MS) show(`: ${isDone ? "done in" : "failed after"} ${elapsed()}`);
  };
}
