// Loaded into the server before its program: on request over IPC, collects garbage and reports the remaining heap.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

process.on("message", (message) => {
  if (message !== "heap") return;
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  process.send?.({ heap: heapUsed + arrayBuffers });
});

// The parent has exited.
process.on("disconnect", () => process.exit(1));
