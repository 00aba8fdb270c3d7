#!/usr/bin/env node
// Supports Node.js 14.18 and newer, so that an old version fails with a clear error instead of a syntax error.
"use strict";

const { join } = require("node:path");

const { engines } = require("../package.json");
const needed = engines.node.replace(">=", "");

if (isOlder(process.versions.node, needed)) {
  process.stderr.write(`error: calltrack needs Node.js ${needed} or newer, and this is ${process.versions.node}\n`);
  process.exitCode = 2;
} else {
  // Does nothing if NODE_COMPILE_CACHE already enabled the cache or NODE_DISABLE_COMPILE_CACHE is set.
  require("node:module").enableCompileCache(join(cacheFolder(), "calltrack"));
  require("../dist/calltrack.cjs");
}

function isOlder(version, than) {
  const [major, minor] = version.split(".").map(Number);
  const [neededMajor, neededMinor] = than.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/**
 * Returns the user's own cache folder. Other users could write to Node's default, which is in the shared temporary
 * folder.
 */
function cacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  return (
    XDG_CACHE_HOME || (process.platform === "win32" && LOCALAPPDATA) || join(require("node:os").homedir(), ".cache")
  );
}
