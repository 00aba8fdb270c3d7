import type { DatabaseSeed } from "../database-seed.ts";
import type { PoolOperation, Protocol } from "../peers/peer.ts";

export interface LoadRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** A JSON body, or the bytes of a gRPC message. */
  readonly body?: string | Uint8Array;
}

export interface Workload {
  /** Name on the command line, such as `get`. */
  readonly name: string;
  /** Title in tables, such as `get one pool`. */
  readonly title: string;
  readonly protocol: Protocol;
  readonly operation: PoolOperation;
  /** Creates the requests, which the load sends one after another in a cycle. */
  requests(seed: DatabaseSeed): readonly LoadRequest[];
  /**
   * Sends the workload's first request.
   *
   * @returns the response as text, without the values that differ between responses.
   * @throws Error if the request is rejected.
   */
  ask(port: number, seed: DatabaseSeed): Promise<string>;
}
