// Copied beside the bundle of each program. Supports Node.js 14.18 and newer, so that an old version fails with a clear error
// instead of a syntax error.
"use strict";

/**
 * Returns whether a program runs on this Node.js. If it does not, sets the exit code and reports it in one line.
 *
 * @param {string} program
 * @param {{ node: string }} engines the `engines` of the program's manifest, with ranges such as `>=22.13` or `^22.17 || >=24.2`.
 */
module.exports.requireNode = (program, { node }) => {
  const ranges = node.split(" || ");
  const version = process.versions.node;
  if (ranges.some((range) => includes(range, version))) return true;
  const needed = ranges.map(describe).join(", or ");
  process.stderr.write(`error: ${program} needs Node.js ${needed}, and this is ${version}\n`);
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
  return range.startsWith("^") ? `${oldest} or newer of ${parseInt(oldest, 10)}` : `${oldest} or newer`;
}

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
