import { parentPort, workerData } from "node:worker_threads";
import { EmbeddedEngine } from "./embedded-engine.js";
import type { EngineReply } from "./engine-message.js";
import { serveEngineRequests } from "./serve-engine-requests.js";

// The entry point of the thread that runs the embedded database.
if (parentPort === null) throw new Error("engine-worker.js must run as a worker thread");
const port = parentPort;

serveEngineRequests(
  port,
  new EmbeddedEngine(workerData, ({ message }) => {
    port.postMessage({ crash: message } satisfies EngineReply);
    // In a worker thread, this ends only the thread.
    process.exit(1);
  }),
);
