import type { Seed } from "../database-seed.ts";
import type { Operation, Protocol } from "../peers/peer.ts";

/** A request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** JSON body, or the bytes of a gRPC message. */
  readonly body?: string | Uint8Array;
}

/** One kind of measured request. */
export interface Workload {
  /** Name on the command line, such as `get`. */
  readonly name: string;
  /** Title in tables, such as `get one pool`. */
  readonly title: string;
  readonly protocol: Protocol;
  readonly operation: Operation;
  /** Creates the requests, which are sent in turn, repeatedly. */
  requests(seed: Seed): readonly LoadRequest[];
  /**
   * Sends the first of the requests.
   *
   * @returns the response as text, without the values that differ between responses.
   * @throws Error if it is rejected.
   */
  ask(port: number, seed: Seed): Promise<string>;
}
