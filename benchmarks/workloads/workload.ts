import type { Seed } from "../database-seed.ts";
import type { Protocol } from "../peers/peer.ts";

/** A request as a load sends it. */
export interface LoadRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly path: string;
  /** A body in JSON, or the bytes of a message of gRPC. */
  readonly body?: string | Uint8Array;
  /** The header by which the caller says who it is; by default, it says nothing. */
  readonly authorization?: string;
  /** The HTTP status of its answer, if it is not that of the workload; for JSON over HTTP/1.1. */
  readonly status?: number;
}

/** One kind of request to be measured. */
export interface Workload {
  /** As it is called on the command line: `get`. */
  readonly name: string;
  /** As it is called in a table: `get one pool`. */
  readonly title: string;
  readonly protocol: Protocol;
  /** The HTTP status of every answer. */
  readonly status: number;
  /** Whether the database must be put back before each round. */
  readonly isWriting: boolean;
  /** Whether its latency is measured at fixed loads too. */
  readonly hasFixedLoads: boolean;
  /** The requests, to be sent in turn, over and over. */
  requests(seed: Seed): readonly LoadRequest[];
}
