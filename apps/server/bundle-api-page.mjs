import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";
import { listBundledFiles } from "../../scripts/packaging/bundle-program.mjs";
import { compressFiles } from "../../scripts/packaging/compress-files.mjs";

const SOURCE = join(import.meta.dirname, "api-page");

/**
 * Bundles the API page and its dependencies. The names of its scripts and styles contain hashes.
 *
 * @param {string} folder receives the page; its scripts and styles are in `assets`.
 * @returns {Promise<readonly string[]>} the absolute paths of the bundled files.
 */
export async function bundleApiPage(folder) {
  const { metafile } = await build({
    absWorkingDir: import.meta.dirname,
    entryPoints: ["main.js", "send-example.js"].map((name) => join(SOURCE, name)),
    outdir: join(folder, "assets"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    target: "es2022",
    entryNames: "[name]-[hash]",
    define: { "process.env.NODE_ENV": '"production"' },
    legalComments: "none",
    logLevel: "error",
    metafile: true,
  });
  compressFiles(join(folder, "assets"));
  const entries = Object.entries(metafile.outputs).filter(([, { entryPoint }]) => entryPoint === "api-page/main.js");
  const [[script, { cssBundle }]] = entries;
  const html = readFileSync(join(SOURCE, "index.html"), "utf8");
  const names = { "{{main.js}}": basename(script), "{{main.css}}": basename(cssBundle) };
  writeFileSync(
    join(folder, "index.html"),
    html.replace(/\{\{main\.\w+\}\}/g, (mark) => names[mark]),
  );
  for (const name of readdirSync(SOURCE)) {
    if (/^(?:start\.|without-eval|icon)/.test(name)) copyFileSync(join(SOURCE, name), join(folder, name));
  }
  return listBundledFiles(metafile, import.meta.dirname);
}
