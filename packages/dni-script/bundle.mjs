// Bundles the script, and the modules that it loads from its own folder.
import { build } from "esbuild";

const options = {
  bundle: true,
  minify: true,
  target: "es2020",
  outdir: "dist",
  tsconfigRaw: "{}",
  logLevel: "warning",
};

await build({ ...options, entryPoints: { dni: "src/main.ts" }, format: "iife" });
await build({
  ...options,
  entryPoints: { "dni-page": "src/page-numbers.ts", "dni-debug": "src/dni-debug.ts" },
  format: "esm",
});
