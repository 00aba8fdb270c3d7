// The measured server loads this module. The module replies to each message with the longest turn of the event loop since the previous message. The
// unit is milliseconds of the thread's CPU time, which does not include the work of other processes.
let longest = 0;
let last = usedMicroseconds();

setInterval(() => {
  const now = usedMicroseconds();
  longest = Math.max(longest, now - last);
  last = now;
}, 1).unref();

process.on("message", () => {
  // Replies in a later turn, so that the current turn is included.
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
