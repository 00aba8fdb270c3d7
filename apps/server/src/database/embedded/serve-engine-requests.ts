import type { MessagePort } from "node:worker_threads";
import type { EmbeddedEngine } from "./embedded-engine.js";
import { type EngineReply, type EngineRequest, type EngineTask, extractErrorFields } from "./engine-message.js";

/**
 * Runs the requests that arrive from a message port, one after the other.
 *
 * Replies to a request, even with an error, only when all changes committed so far are durable, including the changes by other requests. A client of
 * the port therefore never sees a row that a power cut could revert. Later statements run without waiting for this sync, and share it.
 */
export function serveEngineRequests(port: MessagePort, engine: EmbeddedEngine): void {
  let previous = Promise.resolve();
  port.on("message", (request: EngineRequest) => {
    previous = previous.then(async () => {
      const reply = await answer(engine, request);
      void Promise.resolve(engine.durable()).then(() => port.postMessage(reply));
    });
  });
}

async function answer(engine: EmbeddedEngine, { id, ...task }: EngineRequest): Promise<EngineReply> {
  try {
    return { id, rows: await run(engine, task) };
  } catch (error) {
    return { id, error: extractErrorFields(error) };
  }
}

async function run(engine: EmbeddedEngine, task: EngineTask): Promise<readonly unknown[]> {
  if ("sql" in task) return engine.query(task.sql, task.parameters);
  await engine[task.action]();
  return [];
}
