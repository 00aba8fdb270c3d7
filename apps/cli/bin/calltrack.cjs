#!/usr/bin/env node
// Written for Node.js 14.18 and newer, so that one that is too old says so instead of failing on newer syntax.
"use strict";

const { join } = require("node:path");

const { engines } = require("../package.json");
const needed = engines.node.replace(">=", "");

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(`error: calltrack needs Node.js ${needed} or newer, and this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // Does nothing where NODE_COMPILE_CACHE has enabled it already, or NODE_DISABLE_COMPILE_CACHE is set.
  require("node:module").enableCompileCache(join(cacheFolder(), "calltrack"));
  require("../dist/calltrack.cjs");
}

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/** The user's own: what is in Node's default, the shared folder of temporary files, others may have put there. */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return (
    XDG_CACHE_HOME || (process.platform === "win32" && LOCALAPPDATA) || join(require("node:os").homedir(), ".cache")
  );
}
