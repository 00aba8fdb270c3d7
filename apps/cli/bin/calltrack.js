#!/usr/bin/env node
// Is there before the first build, so that the package manager can link it.
import "../dist/main.js";
