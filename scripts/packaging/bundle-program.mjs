import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { createThirdPartyNotices } from "./third-party-notices.mjs";

/**
 * Bundles a program and its dependencies for the oldest supported Node.js. Writes `require-node.cjs` and THIRD-PARTY-NOTICES, the licenses
 * of the dependencies, beside the bundle.
 *
 * @param {{ folder: string, outdir: string, copied?: readonly string[] } & import("esbuild").BuildOptions} options `folder` is the folder of the
 *   program, and `outdir` the folder of the bundle, relative to `folder`. `copied` lists the absolute paths of files from dependencies that are
 *   copied beside the bundle. The other options are passed to esbuild.
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
  writeFileSync(join(folder, outdir, "THIRD-PARTY-NOTICES"), createThirdPartyNotices([...files, ...copied]));
  copyFileSync(join(import.meta.dirname, "require-node.cjs"), join(folder, outdir, "require-node.cjs"));
}

export function listBundledFiles({ outputs }, folder) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  // esbuild's paths of virtual modules begin with a namespace and a colon. They are not files.
  return bundled.filter((path) => !path.includes(":")).map((path) => join(folder, path));
}
