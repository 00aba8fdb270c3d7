import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { thirdPartyNotices } from "./third-party-notices.mjs";

/**
 * Bundles a program and its dependencies for the oldest supported Node.js. Beside the bundle, writes `require-node.cjs` and
 * the licences of the dependencies, THIRD-PARTY-NOTICES.
 *
 * @param {{ folder: string, outdir: string, copied?: readonly string[] } & import("esbuild").BuildOptions} options folder:
 *   the program's. outdir: the bundle's, in it. copied: absolute paths of files of packages beside the bundle. The other
 *   options are those of esbuild.
 */
export async function bundleProgram({ folder, outdir, copied = [], ...options }) {
  const { engines } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const { metafile } = await build({
    absWorkingDir: folder,
    outdir,
    bundle: true,
    platform: "node",
    target: `node${/[\d.]+/.exec(engines.node)[0]}`,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    ...options,
  });
  const files = listBundledFiles(metafile, folder);
  writeFileSync(join(folder, outdir, "THIRD-PARTY-NOTICES"), thirdPartyNotices([...files, ...copied]));
  copyFileSync(join(import.meta.dirname, "require-node.cjs"), join(folder, outdir, "require-node.cjs"));
}

/** Lists the absolute paths of the files in a bundle. */
export function listBundledFiles({ outputs }, folder) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  // Only paths of files have no namespace.
  return bundled.filter((path) => !path.includes(":")).map((path) => join(folder, path));
}
