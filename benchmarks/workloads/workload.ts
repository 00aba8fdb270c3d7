import type { Seed } from "../database-seed.ts";
import type { Operation, Protocol } from "../peers/peer.ts";

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
  readonly operation: Operation;
  /** Creates the requests, which the load sends one after another in a cycle. */
  requests(seed: Seed): readonly LoadRequest[];
  /**
   * Sends the first of the requests.
   *
   * @returns the response as text, without the values that differ between responses.
   * @throws Error if the request is rejected.
   */
  ask(port: number, seed: Seed): Promise<string>;
}
