#!/usr/bin/env node
"use strict";

const { join } = require("node:path");

const { engines } = require("../package.json");
const { requireNode } = require("../dist/require-node.cjs");

if (requireNode("calltrack", engines)) {
  const folder = findCacheFolder();
  // Does nothing if NODE_COMPILE_CACHE already enabled the cache or NODE_DISABLE_COMPILE_CACHE is set.
  if (folder) require("node:module").enableCompileCache(join(folder, "calltrack"));
  require("../dist/calltrack.cjs");
}

/**
 * Returns the user's own cache folder; undefined if it is unknown. Node's default compile cache is in the shared temporary folder, to which other
 * users could write.
 */
function findCacheFolder() {
  const { XDG_CACHE_HOME, LOCALAPPDATA } = process.env;
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (process.platform === "win32" && LOCALAPPDATA) return LOCALAPPDATA;
  try {
    const home = require("node:os").homedir();
    return home && join(home, ".cache");
  } catch {
    // `homedir()` throws in containers that run as a user with neither HOME nor an entry in /etc/passwd.
    return undefined;
  }
}
