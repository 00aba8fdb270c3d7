// Copied beside the bundle of each program. Supports Node.js 14.18 and newer, so that an old version fails with a clear error
// instead of a syntax error.
"use strict";

/**
 * Returns whether this Node.js is new enough for a program. If it is not, sets the exit code and reports it in one line.
 *
 * @param {string} program
 * @param {{ node: string }} engines the `engines` of the program's manifest, with a range such as `>=22.13`.
 */
module.exports.requireNode = (program, { node }) => {
  const needed = node.replace(">=", "");
  const version = process.versions.node;
  if (!isOlder(version, needed)) return true;
  process.stderr.write(`error: ${program} needs Node.js ${needed} or newer, and this is ${version}\n`);
  process.exitCode = 2;
  return false;
};

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}
