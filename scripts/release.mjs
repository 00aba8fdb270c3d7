import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packProgram } from "./packaging/pack-program.mjs";
import { nodeBinary, repositoryRoot, runTool } from "./process.mjs";
import { writeSbom } from "./sbom.mjs";

const APPS = ["server", "cli"];

const CHECKSUMS = "SHA256SUMS";

/**
 * Writes the files of a release and their checksums, except the container image. docs/releases.md lists the files. Requires a build.
 *
 * @param {string} folder is deleted first if it exists.
 * @throws Error if the versions of the programs differ, or if the changelog has no section for their version.
 */
export function writeRelease(folder) {
  const version = readVersion();
  const notes = readNotes(version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const app of APPS) packProgram(app, folder);
  runTool(nodeBinary, [
    "apps/server/dist/bundle/main.js",
    "openapi",
    join(folder, `calltrack-${version}.openapi.json`),
  ]);
  runTool("buf", ["build", "proto", "--output", join(folder, `calltrack-${version}.binpb`)]);
  writeSbom(join(folder, `calltrack-${version}.cdx.json`));
  writeFileSync(join(folder, "RELEASE-NOTES.md"), notes);
  const checksums = readdirSync(folder).map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, CHECKSUMS), checksums.join(""));
  process.stdout.write(readFileSync(join(folder, CHECKSUMS)));
}

function readVersion() {
  const versions = APPS.map(
    (app) => JSON.parse(readFileSync(join(repositoryRoot, "apps", app, "package.json"), "utf8")).version,
  );
  if (new Set(versions).size > 1)
    throw new Error(`the versions of ${APPS.join(" and ")} differ: ${versions.join(", ")}`);
  return versions[0];
}

function readNotes(version) {
  const sections = readFileSync(join(repositoryRoot, "CHANGELOG.md"), "utf8").split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} `));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (date)"`);
  return section.slice(section.indexOf("\n")).trimStart();
}

function sha256(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
