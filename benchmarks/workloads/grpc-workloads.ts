import { clone, create, type DescMessage, type MessageInitShape, toBinary, toJsonString } from "@bufbuild/protobuf";
import {
  CreatePoolRequestSchema,
  GetPoolRequestSchema,
  ListPoolsRequestSchema,
  ListPoolsResponseSchema,
  type Pool,
  PoolSchema,
  PoolService,
  PoolType,
} from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Client, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { LoadRequest, Workload } from "./workload.ts";

/** `GetPool` for a different pool each time. */
export const grpcGetPoolWorkload: Workload = {
  name: "grpc-get",
  title: "gRPC GetPool",
  protocol: "grpc",
  operation: "get",
  requests: ({ pools }) =>
    pools.map(({ accountToken, id }) => call("GetPool", GetPoolRequestSchema, { accountId: accountToken, poolId: id })),
  async ask(port, { pools: [pool] }) {
    return formatPoolAsJson(
      await createPoolServiceClient(port).getPool({ accountId: pool?.accountToken ?? "", poolId: pool?.id ?? "" }),
    );
  },
};

/** `CreatePool` with all fields, in a different account each time. */
export const grpcCreatePoolWorkload: Workload = {
  name: "grpc-create",
  title: "gRPC CreatePool",
  protocol: "grpc",
  operation: "create",
  requests: ({ writtenAccounts }) =>
    writtenAccounts.map(({ accountToken, phoneNumber }) =>
      call("CreatePool", CreatePoolRequestSchema, createPoolMessage(accountToken, phoneNumber)),
    ),
  async ask(port, { writtenAccounts: [account] }) {
    return createdText(
      await createPoolServiceClient(port).createPool(createPoolMessage(account?.accountToken, account?.phoneNumber)),
    );
  },
};

/** `ListPools` for the 20 pools of a different account each time. */
export const grpcListPoolsWorkload: Workload = {
  name: "grpc-list",
  title: "gRPC ListPools of 20",
  protocol: "grpc",
  operation: "list",
  requests: ({ pools }) =>
    pools.map(({ accountToken }) => call("ListPools", ListPoolsRequestSchema, { accountId: accountToken })),
  async ask(port, { pools: [pool] }) {
    const response = await createPoolServiceClient(port).listPools({ accountId: pool?.accountToken ?? "" });
    return toJsonString(ListPoolsResponseSchema, response);
  },
};

export function createPoolServiceClient(port: number): Client<typeof PoolService> {
  // Closes idle connections soon, so that they do not delay the shutdown of a server.
  const transport = createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}`, idleConnectionTimeoutMs: 100 });
  return createClient(PoolService, transport);
}

export function createPoolMessage(accountId = "", originalNumber = "") {
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

export function formatPoolAsJson(pool: Pool): string {
  return toJsonString(PoolSchema, pool);
}

/** Returns a created pool as JSON, without the id, times and etag, which differ between pools. */
function createdText(pool: Pool): string {
  return formatPoolAsJson({
    ...clone(PoolSchema, pool),
    id: "",
    etag: "",
    createdAt: undefined,
    updatedAt: undefined,
  } as never);
}

function call<S extends DescMessage>(method: string, schema: S, fields: MessageInitShape<S>): LoadRequest {
  const body = toBinary(schema, create(schema, fields));
  return { method: "POST", path: `/calltracking.v1.PoolService/${method}`, body };
}
