import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { HAS_KEYS, type PoolClient, type PoolOwner, RequestFailedError } from "./pool-client.ts";

/** Between the requests of one client: what is looked for is what fails, not how much can be done. */
const THINK_MS = 4;

/** After a failure; by chance up to twice as long. */
const AGAIN_AFTER_MS = 20;

/** A request and what came of it. */
export interface Attempt {
  readonly isWrite: boolean;
  /** In the time of `performance.now()`. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Undefined for a good answer. */
  readonly failure: string | undefined;
}

/** A write that the service has acknowledged. */
export interface AcknowledgedWrite {
  readonly owner: PoolOwner;
  readonly id: string;
  /** Of this write alone. */
  readonly description: string;
}

/** Reads and writes of several clients, until it is stopped. */
export interface Load {
  readonly attempts: readonly Attempt[];
  readonly acknowledged: readonly AcknowledgedWrite[];
  /** Lets the requests under way end. */
  stop(): Promise<void>;
}

/** Has each client write for one owner of its own, and another read what is acknowledged. A write with a key is sent again until it is. */
export function startLoad(clients: readonly PoolClient[], owners: readonly PoolOwner[]): Load {
  const attempts: Attempt[] = [];
  const acknowledged: AcknowledgedWrite[] = [];
  let isStopped = false;

  async function attempt<T>(isWrite: boolean, request: () => Promise<T>): Promise<T | undefined> {
    const sentAt = performance.now();
    let failure: string | undefined;
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof RequestFailedError)) throw error;
      failure = error.reason;
    } finally {
      attempts.push({ isWrite, sentAt, answeredAt: performance.now(), failure });
    }
    await pause(AGAIN_AFTER_MS * (1 + Math.random()));
    return undefined;
  }

  async function write(client: PoolClient, owner: PoolOwner, description: string): Promise<void> {
    const key = randomUUID();
    for (;;) {
      const id = await attempt(true, () => client.create(owner, description, key));
      if (id !== undefined) acknowledged.push({ owner, id, description });
      if (id !== undefined || !HAS_KEYS) return;
    }
  }

  async function writeOn(client: PoolClient, owner: PoolOwner): Promise<void> {
    for (let turn = 0; !isStopped; turn++) {
      await write(client, owner, `${owner.accountToken} ${turn}`);
      await pause(THINK_MS);
    }
  }

  async function readOn(client: PoolClient): Promise<void> {
    while (!isStopped) {
      const known = acknowledged[Math.floor(Math.random() * acknowledged.length)];
      if (known !== undefined) await attempt(false, () => client.get(known.owner, known.id));
      await pause(THINK_MS);
    }
  }

  const running = clients.flatMap((client, index) => [writeOn(client, owners[index] as PoolOwner), readOn(client)]);
  return {
    attempts,
    acknowledged,
    async stop() {
      isStopped = true;
      await Promise.all(running);
    },
  };
}
