// Bundles dni.js, and the modules that it loads from its own folder: dni-page.js and dni-debug.js.
import { writeFile } from "node:fs/promises";
import { build } from "esbuild";
import { minify } from "terser";

const options = {
  bundle: true,
  minify: true,
  target: "es2020",
  outdir: "dist",
  tsconfigRaw: "{}",
  logLevel: "warning",
  write: false,
};

const builds = [
  await build({ ...options, entryPoints: { dni: "src/main.ts" }, format: "iife" }),
  await build({
    ...options,
    entryPoints: { "dni-page": "src/page-numbers.ts", "dni-debug": "src/dni-debug.ts" },
    format: "esm",
  }),
];
for (const { path, text } of builds.flatMap(({ outputFiles }) => outputFiles)) {
  // Terser's output is 5% smaller than esbuild's. Size matters, because a page shows the numbers only after it has loaded the scripts.
  const { code } = await minify(text, {
    module: true,
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true },
    format: { ascii_only: true },
  });
  await writeFile(path, `${code}\n`);
}
