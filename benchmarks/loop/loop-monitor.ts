// Loaded into the measured server. Answers each message with the longest turn of the event loop since the one before, in ms of
// CPU time of its thread, which other processes on the machine do not lengthen.
let longest = 0;
let last = usedMicroseconds();

setInterval(() => {
  const now = usedMicroseconds();
  longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();

process.on("message", () => {
  // The current turn counts too.
  setTimeout(() => {
    process.send?.(longest / 1000);
    longest = 0;
  }, 5);
});
process.channel?.unref();

function usedMicroseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
