#!/usr/bin/env -S node --max-semi-space-size=8 --no-allocation-site-pretenuring
// Is there before the first build, so that the package manager can link it.
import "../dist/main.js";
