import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  CreatePoolRequestSchema,
  GetPoolRequestSchema,
  ListPoolsRequestSchema,
  PoolType,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import type { LoadRequest, Workload } from "./workload.ts";

/** `GetPool`, of another pool each time. */
export const grpcGetPool: Workload = {
  name: "grpc-get",
  title: "gRPC GetPool",
  protocol: "grpc",
  status: 200,
  isWriting: false,
  hasFixedLoads: true,
  requests: ({ pools }) =>
    pools.map(({ accountToken, id }) => call("GetPool", GetPoolRequestSchema, { accountId: accountToken, poolId: id })),
};

/** `CreatePool` with all fields, in another account each time. */
export const grpcCreatePool: Workload = {
  name: "grpc-create",
  title: "gRPC CreatePool",
  protocol: "grpc",
  status: 200,
  isWriting: true,
  hasFixedLoads: true,
  requests: ({ writtenAccounts }) =>
    writtenAccounts.map(({ accountToken, phoneNumber }) =>
      call("CreatePool", CreatePoolRequestSchema, newPool(accountToken, phoneNumber)),
    ),
};

/** `ListPools` of 20 pools, of another account each time. */
export const grpcListPools: Workload = {
  name: "grpc-list",
  title: "gRPC ListPools of 20",
  protocol: "grpc",
  status: 200,
  isWriting: false,
  hasFixedLoads: false,
  requests: ({ pools }) =>
    pools.map(({ accountToken }) => call("ListPools", ListPoolsRequestSchema, { accountId: accountToken })),
};

/** Fields of a new pool. */
export function newPool(accountId: string, originalNumber: string) {
  return {
    accountId,
    originalNumber,
    areaCode: "030",
    description: "Numbers for the spring campaign",
    isDni: true,
    isPrompted: false,
    isRecorded: true,
    poolType: PoolType.AUTOMANAGED,
    propertyToken: "prop_1f0e3dad",
    size: 10,
    utilization: 0.5,
  };
}

function call<S extends DescMessage>(method: string, schema: S, fields: MessageInitShape<S>): LoadRequest {
  const body = toBinary(schema, create(schema, fields));
  return { method: "POST", path: `/calltracking.v1.PoolService/${method}`, body };
}
