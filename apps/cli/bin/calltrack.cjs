#!/usr/bin/env node
"use strict";

const { join } = require("node:path");

const { engines } = require("../package.json");
const { requireNode } = require("../dist/require-node.cjs");

if (requireNode("calltrack", engines)) {
  // Does nothing if NODE_COMPILE_CACHE already enabled the cache or NODE_DISABLE_COMPILE_CACHE is set.
  require("node:module").enableCompileCache(join(cacheFolder(), "calltrack"));
  require("../dist/calltrack.cjs");
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
