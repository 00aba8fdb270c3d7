import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findProgram } from "../program.ts";
import type { LoadGenerator } from "./load.ts";

const SCRIPT = fileURLToPath(import.meta.resolve("./wrk.lua"));

/**
 * Returns a load generator that runs wrk, over HTTP/1.1. The single thread of wrk distributes the requests over the connections.
 *
 * @throws Error if wrk is not installed.
 */
export async function createWrkGenerator(resources: AsyncDisposableStack): Promise<LoadGenerator> {
  const wrk = findProgram("wrk");
  const folder = await mkdtemp(join(tmpdir(), "calltrack-load-"));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "requests");
  const interruption = new AbortController();
  resources.defer(() => interruption.abort());
  return async ({ port, requests, concurrency, seconds }) => {
    await writeFile(file, requests.map(({ method, path, body = "" }) => `${method}\t${path}\t${body}\n`).join(""));
    const options = ["--threads=1", `--connections=${concurrency}`, `--duration=${seconds}`, "--timeout=10"];
    const args = [...options, `--script=${SCRIPT}`, `http://127.0.0.1:${port}`, "--", file];
    const { stdout } = await promisify(execFile)(wrk, args, { signal: interruption.signal });
    const result = JSON.parse(stdout.slice(stdout.lastIndexOf("\n{")));
    if (result.rejected + result.failed > 0)
      throw new Error(`${result.rejected} requests were rejected, and ${result.failed} got no response`);
    if (result.requests === 0) throw new Error(`no request was answered within ${seconds} s`);
    return result;
  };
}
