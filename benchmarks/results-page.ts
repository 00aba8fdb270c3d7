import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";

/**
 * Prints the results of a benchmark as a Markdown page, without details that identify the machine.
 *
 * @param name the name of the benchmark on the command line.
 * @param isWritten whether to also write the page to `RESULTS-….md`.
 */
export async function publishResults(name: string, content: string, isWritten: boolean): Promise<void> {
  const page = `${content}
Measured by \`npm run bench -- ${name}\` on ${availableParallelism()} cores, shared by server, database and load, with Node.js ${process.versions.node}. The load
average was ${loadavg()[2]?.toFixed(1)} over the last 15 minutes.
`;
  console.log(`\n${page}`);
  if (isWritten) await writeFile(new URL(`./RESULTS-${name}.md`, import.meta.url), page);
}
