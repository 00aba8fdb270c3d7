import { cruise } from "dependency-cruiser";
import config from "../.dependency-cruiser.mjs";
import { repositoryRoot } from "./process.mjs";

/**
 * Checks the imports of all packages, including type imports, against the rules in `.dependency-cruiser.mjs`. Also checks that no two siblings
 * import each other. Siblings are two folders, or a folder and a file, in the same folder at any level.
 *
 * @throws Error that names every violation.
 */
export async function checkImportRules() {
  const { forbidden, options } = config;
  const { output } = await cruise(["packages/*/src", "apps/*/src"], {
    ...options,
    baseDir: repositoryRoot,
    ruleSet: { forbidden },
    validate: true,
  });
  const violations = output.summary.violations.map(
    ({ rule, from, to, cycle }) => `${rule.name}: ${[from, ...(cycle?.map(({ name }) => name) ?? [to])].join(" → ")}`,
  );
  const pairs = findMutualPairs(output.modules).map((pair) => `sibling folders import each other: ${pair}`);
  const problems = [...violations, ...pairs];
  if (problems.length > 0) throw new Error(problems.join("\n"));
}

/**
 * Finds pairs of siblings (files or folders in the same folder) that import each other. The imports of a folder include those of all files below it.
 */
function findMutualPairs(modules) {
  const imports = new Set();
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const [from, to] = [source.split("/"), resolved.split("/")];
      const level = from.findIndex((name, index) => name !== to[index]);
      if (level === -1) continue;
      imports.add([from, to].map((path) => path.slice(0, level + 1).join("/")).join(" → "));
    }
  }
  return [...imports].filter((each) => {
    const [from, to] = each.split(" → ");
    return from < to && imports.has(`${to} → ${from}`);
  });
}
