import type { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { DatabaseSeed } from "./database-seed.ts";
import { expectEqualValues } from "./expect-equal-values.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { createPoolMessage, createPoolServiceClient, formatPoolAsJson } from "./workloads/grpc-workloads.ts";

type Pools = Client<typeof PoolService>;

/**
 * Checks that the gRPC servers do the same work: each must read the pools that the others created, and all must reject the same requests.
 *
 * @throws Error that shows the difference.
 */
export async function checkGrpcResponses(peers: readonly RunningPeer[], seed: DatabaseSeed): Promise<void> {
  const clients = peers.map(({ port }) => createPoolServiceClient(port));
  const [{ accountToken, phoneNumber } = { accountToken: "", phoneNumber: "" }] = seed.writtenAccounts;
  for (const creator of clients) {
    const created = await creator.createPool(createPoolMessage(accountToken, phoneNumber));
    const read = await inTurn(clients, (client) => client.getPool({ accountId: accountToken, poolId: created.id }));
    expectEqualValues("GetPool for a created pool", [created, ...read].map(formatPoolAsJson));
  }
  for (const [code, call] of rejectedCalls(seed)) {
    const codes = await inTurn(clients, (client) => codeOf(call(client)));
    expectEqualValues(`a request that must fail with ${Code[code]}`, [code, ...codes]);
  }
}

function rejectedCalls(seed: DatabaseSeed): [Code, (client: Pools) => Promise<unknown>][] {
  const [{ accountToken: accountId, id: poolId } = { accountToken: "", id: "" }, other] = seed.pools;
  const [{ accountToken, phoneNumber } = { accountToken: "", phoneNumber: "" }] = seed.writtenAccounts;
  const { disabledAccount: disabled } = seed;
  const good = createPoolMessage(accountToken, phoneNumber);
  return [
    [Code.NotFound, (client) => client.getPool({ accountId, poolId: other?.id ?? "" })],
    [Code.NotFound, (client) => client.getPool({ accountId, poolId: "no-uuid" })],
    [Code.NotFound, (client) => client.getPool({ accountId: "nobody", poolId })],
    [Code.NotFound, (client) => client.listPools({ accountId: "nobody" })],
    [Code.NotFound, (client) => client.createPool({ ...good, accountId: "nobody" })],
    [Code.InvalidArgument, (client) => client.createPool({ ...good, size: 0 })],
    [Code.InvalidArgument, (client) => client.createPool({ ...good, areaCode: "123456" })],
    [Code.InvalidArgument, (client) => client.createPool({ ...good, utilization: 1.5 })],
    [Code.InvalidArgument, (client) => client.createPool({ ...good, propertyToken: "a b" })],
    [Code.FailedPrecondition, (client) => client.createPool({ ...good, originalNumber: "+19998887777" })],
    [
      Code.FailedPrecondition,
      (client) => client.createPool(createPoolMessage(disabled.accountToken, disabled.phoneNumber)),
    ],
  ];
}

async function inTurn<T>(clients: readonly Pools[], call: (client: Pools) => Promise<T>): Promise<T[]> {
  const answers: T[] = [];
  for (const client of clients) answers.push(await call(client));
  return answers;
}

async function codeOf(call: Promise<unknown>): Promise<Code | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return ConnectError.from(error).code;
  }
}
