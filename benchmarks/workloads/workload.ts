import type { Seed } from "../database-seed.ts";

/** A request as a load sends it. */
export interface LoadRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** A body in JSON. */
  readonly body?: string;
}

/** One kind of request to be measured. */
export interface Workload {
  /** As it is called in a table: `get one pool`. */
  readonly title: string;
  /** The status of every answer. */
  readonly status: number;
  /** Whether the database must be put back before each round. */
  readonly isWriting: boolean;
  /** The requests, to be sent in turn, over and over. */
  requests(seed: Seed): readonly LoadRequest[];
}
