import type { PrimaryMessage, WorkerMessage } from "./worker-message.js";

/** Tells the primary of this worker, and resolves when it is sent. */
export function tellPrimary(message: WorkerMessage): Promise<void> {
  return new Promise((resolve) => process.send?.(message, () => resolve()));
}

/** Calls back for everything that the primary says. */
export function onPrimaryMessage(callback: (message: PrimaryMessage) => void): void {
  process.on("message", callback);
}
