import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { PoolOwner } from "../database-seed.ts";
import { type PoolClient, RequestFailedError } from "./pool-client.ts";

/** Pause between the requests of one client. The benchmark measures failures, not throughput. */
const THINK_MS = 4;

/** Minimum pause after a failed request. Random jitter at most doubles the pause. */
const RETRY_DELAY_MS = 20;

export interface RequestAttempt {
  readonly isWrite: boolean;
  /** When the request was sent, in milliseconds of `performance.now()`. The time `answeredAt` is on the same clock. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** The reason of the failure; undefined if the request succeeded. */
  readonly failure: string | undefined;
}

export interface AcknowledgedWrite {
  readonly owner: PoolOwner;
  readonly id: string;
  /** Unique for each write. */
  readonly description: string;
}

export interface FaultLoad {
  readonly attempts: readonly RequestAttempt[];
  readonly acknowledged: readonly AcknowledgedWrite[];
  /** Stops sending requests. Resolves when the requests in flight have ended. */
  stop(): Promise<void>;
}

/**
 * Starts two loops for each client. One loop creates pools, and retries each creation with the same idempotency key until it is acknowledged. The
 * other loop reads acknowledged pools.
 */
export function startFaultLoad(clients: readonly PoolClient[], owners: readonly PoolOwner[]): FaultLoad {
  const attempts: RequestAttempt[] = [];
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
    await pause(RETRY_DELAY_MS * (1 + Math.random()));
    return undefined;
  }

  async function write(client: PoolClient, owner: PoolOwner, description: string): Promise<void> {
    const key = randomUUID();
    for (;;) {
      const id = await attempt(true, () => client.create(owner, description, key));
      if (id === undefined) continue;
      acknowledged.push({ owner, id, description });
      return;
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
