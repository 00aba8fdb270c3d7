import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Licences whose text need not be passed on. */
const ASKS_FOR_NOTHING = new Set(["0BSD", "MIT-0"]);

/**
 * Lists the packages of the registry that files are from, each with the text of its licence, which most of them ask to be passed on.
 * Where a package has no file of it, its licence is in the comments that its files begin with.
 *
 * @param {readonly string[]} files absolute paths; those of no package are passed over.
 * @returns {string}
 * @throws Error if a package has a licence nowhere.
 */
export function thirdPartyNotices(files) {
  const packages = Map.groupBy(
    files.filter((file) => file.includes("node_modules")),
    packageFolderOf,
  );
  const notices = [...packages].map(([folder, itsFiles]) => {
    const { name, version, license } = readManifest(folder);
    const text = readLicence(folder) || readLicenceComments(itsFiles);
    if (text === "" && !ASKS_FOR_NOTHING.has(license)) throw new Error(`${name} has no text of its licence`);
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const separator = `\n${"-".repeat(80)}\n\n`;
  return [
    "This program contains the following packages. LICENSE has the text of Apache-2.0.\n",
    ...notices.toSorted(),
  ].join(separator);
}

/** The first folder above that has a manifest with a name: others only say how a folder's files are to be read. */
function packageFolderOf(path) {
  const folder = dirname(path);
  const isPackage = existsSync(join(folder, "package.json")) && readManifest(folder).name !== undefined;
  return isPackage ? folder : packageFolderOf(folder);
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function readLicence(folder) {
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|notice)/i.test(name));
  return names.map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n\n");
}

function readLicenceComments(files) {
  const comments = files.map((file) => /^(?:\/\/.*\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? "");
  const texts = comments
    .filter((comment) => /copyright/i.test(comment))
    .map((comment) => comment.replace(/^\/\/ ?/gm, ""));
  return [...new Set(texts.map((text) => text.trim()))].join("\n\n");
}
