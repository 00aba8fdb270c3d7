import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createCalltrackClient } from "./calltrack-client.ts";

const MAIN = fileURLToPath(new URL("../../apps/server/dist/bundle/main.js", import.meta.url));

const PAST_CLOCK = new URL("past-clock.ts", import.meta.url).href;

export interface CalltrackServer {
  readonly url: string;
  now(): Date;
  /** Moves the server's time forward, but not beyond the present. */
  moveTo(time: Date): Promise<void>;
  runPasses(): Promise<void>;
  /** Resolves when the process has exited. */
  stop(): Promise<void>;
}

/** Starts Calltrack on an in-memory database, at a time in the past. */
export async function startCalltrack(port: number, start: Date): Promise<CalltrackServer> {
  let behindMs = Date.now() - start.getTime();
  const env = {
    ...process.env,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    DATABASE_URL: "",
    DATA_DIR: "memory://",
    // With a virtual clock, the example can send a request that runs the passes that are due.
    CLOCK: "virtual",
    // The shop's webhook endpoint has a loopback address.
    WEBHOOKS_ALLOW_PRIVATE: "on",
    LOG_LEVEL: "warn",
  };
  const server = spawn(process.execPath, ["--import", `${PAST_CLOCK}?behind-ms=${behindMs}`, MAIN], {
    env,
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    // A terminal sends Ctrl-C to its whole process group. In a separate group, only stop() ends the server.
    detached: true,
  });
  process.once("exit", () => server.kill("SIGKILL"));
  const url = await readUrl(server.stdout as Readable);
  const api = createCalltrackClient(url);
  const hasMoved = async () => {
    const { now } = await api.get<{ readonly now: string }>("/dni_manager/clock");
    return Date.parse(now) >= Date.now() - behindMs - 1000;
  };
  return {
    url,
    now: () => new Date(Date.now() - behindMs),
    async moveTo(time) {
      behindMs = Math.min(behindMs, Math.max(0, Date.now() - time.getTime()));
      server.send(behindMs);
      while (!(await hasMoved()));
    },
    async runPasses() {
      await api.post("/dni_manager/clock:advance", { by: "0.001s" });
    },
    async stop() {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, "exit");
      server.kill("SIGTERM");
      await ended;
    },
  };
}

async function readUrl(output: Readable): Promise<string> {
  for await (const line of createInterface(output)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("Calltrack did not start: see its message above.");
}
