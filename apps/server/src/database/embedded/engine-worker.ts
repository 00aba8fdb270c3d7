import { parentPort, workerData } from "node:worker_threads";
import { EmbeddedEngine } from "./embedded-engine.js";
import type { EngineReply } from "./engine-message.js";
import { serveEngine } from "./serve-engine.js";

// The entry point of the thread that runs the embedded database.
if (parentPort === null) throw new Error("engine-worker.js must run as a worker thread");
const port = parentPort;

serveEngine(
  port,
  new EmbeddedEngine(workerData, ({ message }) => {
    port.postMessage({ crash: message } satisfies EngineReply);
    // Ends only this thread.
    process.exit(1);
  }),
);
