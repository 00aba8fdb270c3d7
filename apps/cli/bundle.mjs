// Bundles the program and its dependencies into dist/calltrack.cjs, and writes their licenses to dist/THIRD-PARTY-NOTICES.
import { bundleProgram } from "../../scripts/packaging/bundle-program.mjs";

await bundleProgram({
  folder: import.meta.dirname,
  outdir: "dist",
  entryPoints: { calltrack: "src/main.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { "import.meta.dirname": "__dirname" },
});
