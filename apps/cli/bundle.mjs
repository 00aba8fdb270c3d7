// Bundles the program and its dependencies into dist/calltrack.cjs, and writes their licences to dist/THIRD-PARTY-NOTICES.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { thirdPartyNotices } from "./third-party-notices.mjs";

/**
 * Modules that take long to load and that few commands use, with the exports that packages use of them. They are loaded
 * on first use.
 */
const LAZY_MODULES = {
  "node:child_process": ["spawn"],
  "node:http": ["request"],
  "node:https": ["request"],
};

const lazyModules = {
  name: "lazy-modules",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, importer, namespace }) =>
      path in LAZY_MODULES && importer.includes("node_modules") && namespace === "file"
        ? { path, namespace: "lazy" }
        : { path, external: true },
    );
    onLoad({ filter: /./, namespace: "lazy" }, ({ path }) => {
      const getters = LAZY_MODULES[path].map((name) => `get ${name}() { return require("${path}").${name}; }`);
      return { contents: `module.exports = { ${getters.join(", ")} };` };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["src/main.ts"],
  outfile: "dist/calltrack.cjs",
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  inject: ["src/headers.ts"],
  define: { "import.meta.dirname": "__dirname" },
  legalComments: "none",
  plugins: [lazyModules],
  logLevel: "warning",
  metafile: true,
});
const [{ inputs }] = Object.values(metafile.outputs);
const files = Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0 && !file.startsWith("lazy:"));
const notices = thirdPartyNotices(files.map((file) => join(import.meta.dirname, file)));
writeFileSync(join(import.meta.dirname, "dist", "THIRD-PARTY-NOTICES"), notices);
