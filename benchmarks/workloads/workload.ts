import type { Seed } from "../database-seed.ts";
import type { Protocol } from "../peers/peer.ts";

/** A request of a load. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** JSON body, or the bytes of a gRPC message. */
  readonly body?: string | Uint8Array;
  /** Value of the Authorization header; none by default. */
  readonly authorization?: string;
  /** Expected HTTP status, if it differs from that of the workload; only for JSON over HTTP/1.1. */
  readonly status?: number;
}

/** One kind of measured request. */
export interface Workload {
  /** Name on the command line, such as `get`. */
  readonly name: string;
  /** Title in tables, such as `get one pool`. */
  readonly title: string;
  readonly protocol: Protocol;
  /** Expected HTTP status of every response. */
  readonly status: number;
  /** Whether the database must be restored before each round. */
  readonly isWriting: boolean;
  /** Whether its latency is also measured at fixed loads. */
  readonly hasFixedLoads: boolean;
  /** Creates the requests, which are sent in turn, repeatedly. */
  requests(seed: Seed): readonly LoadRequest[];
}
