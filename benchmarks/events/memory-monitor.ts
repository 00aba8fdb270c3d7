// The measured server loads this module, and runs with --expose-gc. The module replies to each message with two sizes in bytes: the current resident
// memory, and the live JavaScript objects after a garbage collection.
process.on("message", () => {
  const resident = process.memoryUsage.rss();
  globalThis.gc?.();
  // Waits for a turn of the event loop, in which finalizers run.
  setTimeout(() => {
    globalThis.gc?.();
    process.send?.({ resident, live: process.memoryUsage().heapUsed });
  }, 100);
});
process.channel?.unref();
