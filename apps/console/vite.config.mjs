import { defineConfig } from "vite";

export default defineConfig({
  // Relative addresses work under every base path and behind every proxy.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    // The preload polyfill would be an inline script for browsers that the target excludes anyway.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    emptyOutDir: true,
  },
});
