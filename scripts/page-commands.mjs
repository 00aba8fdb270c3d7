// Prints the shell commands below the given headings of a docs page: node scripts/page-commands.mjs PAGE HEADING…
import { readFileSync } from "node:fs";

/**
 * Returns the shell commands below a heading, up to the next heading.
 *
 * @throws Error if the section has no shell block.
 */
export function readPageCommands(page, heading) {
  const [, section = ""] = readFileSync(page, "utf8").split(`\n## ${heading}\n`);
  const [own = ""] = section.split(/^##/m);
  const blocks = Array.from(own.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, block]) => block);
  if (blocks.length === 0) throw new Error(`${page} has no commands below "${heading}"`);
  return blocks.join("");
}

if (import.meta.main) {
  const [page, ...headings] = process.argv.slice(2);
  process.stdout.write(headings.map((heading) => readPageCommands(page, heading)).join(""));
}
