// Bundles the server and its dependencies into dist/bundle, with the files that it reads at run time. The program starts from
// main.js, and the thread of the embedded database from engine-worker.js. Each command loads only its own chunks.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleProgram } from "../../scripts/packaging/bundle-program.mjs";
import { bundleApiPage } from "./bundle-api-page.mjs";

const FOLDER = join(import.meta.dirname, "dist", "bundle");

/** The files of packages that the server reads at run time with `readPackageFile`. */
const PACKAGE_FILES = [
  "@calltrack/dni-script/dni.js",
  "@calltrack/dni-script/dni-page.js",
  "@calltrack/dni-script/dni-debug.js",
  "@calltrack/domain/descriptors.binpb",
];

/** The files that PGlite reads from the folder of its code. It reads `initdb.wasm` only to create a database without `NEW_DATABASE`. */
const PGLITE_FILES = ["pglite.data", "pglite.wasm"];

/** The archive from `pack-new-database.mjs`. */
const NEW_DATABASE = "new-database.tar.gz";

/** The folder of the built console. */
const CONSOLE = dirname(fileURLToPath(import.meta.resolve("@calltrack/console/index.html")));

/** Replaces the module `package-file.ts` in the bundle, so that it reads the files of packages from the bundle's folder. */
const readBundledFile = `
  import { readFileSync } from "node:fs";
  import { basename } from "node:path";
  import { fileURLToPath } from "node:url";
  export const readPackageFile = (specifier) => readFileSync(new URL(basename(specifier), import.meta.url));
  export const findConsoleFolder = () => fileURLToPath(new URL("console", import.meta.url));`;

/** Replaces the module `engine-files.ts` in the bundle, so that it finds the files in the bundle's folder. */
const findEngineFiles = `
  import { fileURLToPath } from "node:url";
  const resolve = (name) => fileURLToPath(new URL(name, import.meta.url));
  export const ENGINE_WORKER_PATH = resolve("engine-worker.js");
  export const NEW_DATABASE_PATH = resolve("${NEW_DATABASE}");`;

// An ESM import of node:http reads all its exports, which loads Node's clients for fetch and WebSocket and adds 0.07 s to each start.
const HTTP_EXPORTS = Object.entries(Object.getOwnPropertyDescriptors(http)).filter(([, { get }]) => get === undefined);
const importHttp = `
  const http = process.getBuiltinModule("node:http");
  export const { ${HTTP_EXPORTS.map(([name]) => name).join(", ")} } = http;
  export default http;`;

const plainHttp = {
  name: "plain-http",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "plain-http" } : undefined,
    );
    onLoad({ filter: /.*/, namespace: "plain-http" }, () => ({ contents: importHttp }));
  },
};

const bundledFiles = {
  name: "bundled-files",
  setup({ onLoad }) {
    const files = { "package-file": readBundledFile, "engine-files": findEngineFiles };
    for (const [name, contents] of Object.entries(files)) {
      onLoad({ filter: new RegExp(`[\\\\/]${name}\\.ts$`) }, () => ({ contents, resolveDir: import.meta.dirname }));
    }
  },
};

// The names of chunks contain hashes, so chunks from an earlier build would remain.
rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const pglite = import.meta.resolve("@electric-sql/pglite");
const copied = [
  ...PACKAGE_FILES.map((specifier) => import.meta.resolve(specifier)),
  ...PGLITE_FILES.map((name) => new URL(name, pglite)),
].map((url) => fileURLToPath(url));
for (const path of copied) copyFileSync(path, join(FOLDER, basename(path)));
copyFileSync(join(import.meta.dirname, "dist", NEW_DATABASE), join(FOLDER, NEW_DATABASE));
for (const name of ["index.html", "assets"])
  cpSync(join(CONSOLE, name), join(FOLDER, "console", name), { recursive: true });
// The console has been bundled separately. `modules.json` lists its modules, so that the license notices also contain their licenses.
const consoleModules = JSON.parse(readFileSync(join(CONSOLE, "modules.json"), "utf8"));
const apiPageModules = await bundleApiPage(join(FOLDER, "api-page"));
await bundleProgram({
  folder: import.meta.dirname,
  outdir: "dist/bundle",
  entryPoints: { main: "src/main.ts", "engine-worker": "src/database/embedded/engine-worker.ts" },
  copied: [...copied, ...consoleModules.map((path) => join(CONSOLE, path)), ...apiPageModules],
  format: "esm",
  splitting: true,
  // CommonJS dependencies load Node's modules with `require`.
  banner: {
    js: `import { createRequire as createBundleRequire } from "node:module";\nconst require = createBundleRequire(import.meta.url);`,
  },
  plugins: [bundledFiles, plainHttp],
});
