// Loaded into the server before its program: when the parent asks over IPC, it collects garbage and says what is left.
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

// The parent is gone without a word.
process.on("disconnect", () => process.exit(1));
