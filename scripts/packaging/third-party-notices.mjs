import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Licenses that do not require their text to be distributed. */
const NO_NOTICE_REQUIRED = new Set(["0BSD", "MIT-0"]);

/**
 * Lists the registry packages that contain the given files, each with the text of its license. If a package has no license file, the text comes
 * from its readme, or from the comments at the start of its files. A package that only names the MIT license gets the standard text.
 *
 * @param {readonly string[]} files absolute paths; files outside of packages are ignored.
 * @returns {string}
 * @throws Error if a package has no license text.
 */
export function createThirdPartyNotices(files) {
  const packages = Map.groupBy(
    files.filter((file) => file.includes("node_modules")),
    packageFolderOf,
  );
  const notices = [...packages].map(([folder, itsFiles]) => {
    const manifest = readManifest(folder);
    const { name, version, license } = manifest;
    const found = readLicense(folder) || readReadmeSection(folder) || readLicenseComments(itsFiles);
    const text = found || (license === "MIT" ? createMitLicense(manifest) : "");
    if (text === "" && !NO_NOTICE_REQUIRED.has(license)) throw new Error(`${name} has no license text`);
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  const separator = `\n${"-".repeat(80)}\n\n`;
  return [
    "This program contains the following packages. LICENSE contains the text of Apache-2.0.\n",
    ...notices.toSorted(),
  ].join(separator);
}

/** Returns the folder of the package that contains a file. Does not search for a package.json, because subfolders of a package may have one. */
function packageFolderOf(path) {
  const [folder = ""] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(path) ?? [];
  return folder;
}

function readManifest(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

function readLicense(folder) {
  const paths = globSync("{LICEN[CS]E,NOTICE,licen[cs]e,notice}*{,/**}", { cwd: folder }).map((path) =>
    join(folder, path),
  );
  const files = paths.filter((path) => statSync(path).isFile());
  return files.map((file) => readFileSync(file, "utf8").trim()).join("\n\n");
}

/**
 * Returns the license section of the readme, without its heading. Returns an empty string if the readme has no such section with a copyright notice.
 */
function readReadmeSection(folder) {
  const readme = join(folder, "README.md");
  if (!existsSync(readme)) return "";
  const [, text = ""] = /^#+ *licen[cs]e *\n([^#]*)/im.exec(readFileSync(readme, "utf8")) ?? [];
  return /copyright/i.test(text) ? text.trim() : "";
}

function createMitLicense({ name, author = `the authors of ${name}` }) {
  const text = readFileSync(join(import.meta.dirname, "mit-license.txt"), "utf8").trim();
  return `MIT License\n\nCopyright (c) ${author.name ?? author}\n\n${text}`;
}

function readLicenseComments(files) {
  const comments = files.map((file) => /^(?:\/\/.*\n)+/.exec(readFileSync(file, "utf8"))?.[0] ?? "");
  const texts = comments
    .filter((comment) => /copyright/i.test(comment))
    .map((comment) => comment.replace(/^\/\/ ?/gm, ""));
  return [...new Set(texts.map((text) => text.trim()))].join("\n\n");
}
