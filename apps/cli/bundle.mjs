// Bundles the program and its dependencies into dist/calltrack.cjs, and writes their licences to dist/THIRD-PARTY-NOTICES.
import { bundleProgram } from "../../scripts/packaging/bundle-program.mjs";

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

await bundleProgram({
  folder: import.meta.dirname,
  outdir: "dist",
  entryPoints: { calltrack: "src/main.ts" },
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  inject: ["src/connection/headers.ts"],
  define: { "import.meta.dirname": "__dirname" },
  plugins: [lazyModules],
});
