#!/usr/bin/env -S node --max-semi-space-size=8 --no-allocation-site-pretenuring --heap-growing-percent=100 --disable-sigusr1
// The build does not generate this file, so the package manager can link it before the first build.
"use strict";

const { engines } = require("../package.json");
const { requireNode } = require("../dist/bundle/require-node.cjs");

if (requireNode("calltrack-server", engines)) void import("../dist/bundle/main.js");
