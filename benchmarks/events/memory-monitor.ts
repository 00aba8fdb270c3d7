// Loaded into the measured server, which runs with --expose-gc. Answers each message with its memory in bytes: resident as it is, and live JavaScript
// objects after garbage collection.
process.on("message", () => {
  const resident = process.memoryUsage.rss();
  globalThis.gc?.();
  // Finalizers need a turn.
  setTimeout(() => {
    globalThis.gc?.();
    process.send?.({ resident, live: process.memoryUsage().heapUsed });
  }, 100);
});
process.channel?.unref();
