// Copied beside the bundle of each program. Runs on Node.js 14.18 and newer, so that old versions report a clear error instead of a syntax error.
"use strict";

/**
 * Reports whether a program runs on this version of Node.js. If not, sets the exit code and prints an error.
 *
 * @param {string} program
 * @param {{ node: string }} engines the `engines` of the program's manifest, with ranges such as `>=22.13` or `^22.17 || >=24.2`.
 */
module.exports.requireNode = (program, { node }) => {
  const ranges = node.split(" || ");
  const version = process.versions.node;
  if (ranges.some((range) => includes(range, version))) return true;
  const needed = ranges.map(describe).join(", or ");
  process.stderr.write(`error: ${program} requires Node.js ${needed}; this is ${version}\n`);
  process.exitCode = 2;
  return false;
};

function includes(range, version) {
  const oldest = range.replace(/^(\^|>=)/, "");
  const isOfLine = parseInt(version, 10) === parseInt(oldest, 10) || range.startsWith(">=");
  return isOfLine && !isOlder(version, oldest);
}

function describe(range) {
  const oldest = range.replace(/^(\^|>=)/, "");
  return range.startsWith("^") ? `${oldest} or a newer ${parseInt(oldest, 10)}.x` : `${oldest} or newer`;
}

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
