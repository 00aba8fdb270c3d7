import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryRoot } from "./process.mjs";

const PLATFORMS = [
  { os: "linux", cpu: "x64" },
  { os: "linux", cpu: "arm64" },
  { os: "darwin", cpu: "x64" },
  { os: "darwin", cpu: "arm64" },
  { os: "win32", cpu: "x64" },
];

/** The platform on which CI runs all tests. A package with a binary for this platform must have binaries for all platforms. */
const [HERE] = PLATFORMS;

/**
 * Checks the lockfile, without downloads, for problems on other platforms. A package with binaries has an optional dependency for each
 * platform, and a machine installs only the dependency for its own platform.
 *
 * @throws Error that names packages that lack a platform, packages whose install scripts are not allowed, and allowed packages that are
 * not in the lockfile.
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
  problems.push(
    ...allowed
      .filter((name) => !locked.has(name))
      .map((name) => `${name} is no longer in the lockfile: remove it from onlyBuiltDependencies`),
  );
  if (problems.length > 0) throw new Error(`pnpm-workspace.yaml and pnpm-lock.yaml:\n${problems.join("\n")}`);
}

function isFor({ os, cpu }, platform) {
  return os?.includes(platform.os) && cpu?.includes(platform.cpu);
}

function readYaml(name) {
  return parse(readFileSync(join(repositoryRoot, name), "utf8"));
}
