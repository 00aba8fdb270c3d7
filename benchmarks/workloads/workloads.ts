import { grpcCreatePool, grpcGetPool, grpcListPools } from "./grpc-workloads.ts";
import { createPool, getPool, listPools } from "./json-workloads.ts";
import type { Workload } from "./workload.ts";

/** All workloads, in the order of the results. */
export const WORKLOADS: readonly Workload[] = [
  getPool,
  createPool,
  listPools,
  grpcGetPool,
  grpcCreatePool,
  grpcListPools,
];
