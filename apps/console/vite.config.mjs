import { relative } from "node:path";
import { defineConfig } from "vite";

/** Lists the bundled modules from other packages, as paths relative to the build folder: the server distributes their licenses. */
const listModules = {
  name: "list-modules",
  generateBundle(_, bundle) {
    const ids = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const files = ids.filter((id) => id.startsWith("/") || /^[A-Z]:/.test(id)).map((id) => id.split("?")[0]);
    const others = files.filter((file) => file.includes("node_modules"));
    const paths = others.map((file) => relative(`${import.meta.dirname}/dist`, file).replaceAll("\\", "/"));
    this.emitFile({ type: "asset", fileName: "modules.json", source: JSON.stringify(paths) });
  },
};

const SHARED = { name: "shared", minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 5000 };

export default defineConfig({
  // Relative URLs work under every base path and behind every proxy.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [listModules],
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // The preload polyfill would be an inline script for browsers that the target excludes anyway.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Modules that the same set of pages imports go into one file, unless the file would be too small to deserve a separate request.
        codeSplitting: {
          groups: [
            // Separates the code of protobuf messages from page code. The event worker imports the messages, and page code needs a document, which a
            // worker does not have.
            { ...SHARED, name: "messages", test: /@bufbuild|@connectrpc|domain\/dist\/gen/, priority: 1 },
            // The imports of `main.ts`, which are loaded before the first paint.
            { name: "first", test: /preload-helper|src\/ui\/theme/, priority: 2 },
            SHARED,
          ],
        },
        // By default, the name of a shared file would list all pages that share it.
        chunkFileNames: ({ name }) => `assets/${name.split("~")[0]}-[hash].js`,
      },
    },
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});
