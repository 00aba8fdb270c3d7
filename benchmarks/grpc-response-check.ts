import type { PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Client, Code, ConnectError } from "@connectrpc/connect";
import type { Seed } from "./database-seed.ts";
import { expectSame } from "./expect-same.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { newPool, poolClient, poolText } from "./workloads/grpc-workloads.ts";

type Pools = Client<typeof PoolService>;

/**
 * Checks that the gRPC servers do the same work: that each reads the pools that the others created, and that all reject the same requests.
 *
 * @throws Error that shows the difference.
 */
export async function checkGrpcResponses(peers: readonly RunningPeer[], seed: Seed): Promise<void> {
  const clients = peers.map(({ port }) => poolClient(port));
  const [{ accountToken, phoneNumber } = { accountToken: "", phoneNumber: "" }] = seed.writtenAccounts;
  for (const creator of clients) {
    const created = await creator.createPool(newPool(accountToken, phoneNumber));
    const read = await inTurn(clients, (client) => client.getPool({ accountId: accountToken, poolId: created.id }));
    expectSame("GetPool for a created pool", [created, ...read].map(poolText));
  }
  for (const [code, call] of rejectedCalls(seed)) {
    const codes = await inTurn(clients, (client) => codeOf(call(client)));
    expectSame(`a request that must fail with ${Code[code]}`, [code, ...codes]);
  }
}

function rejectedCalls(seed: Seed): [Code, (client: Pools) => Promise<unknown>][] {
  const [{ accountToken: accountId, id: poolId } = { accountToken: "", id: "" }, other] = seed.pools;
  const [{ accountToken, phoneNumber } = { accountToken: "", phoneNumber: "" }] = seed.writtenAccounts;
  const { disabledAccount: disabled } = seed;
  const good = newPool(accountToken, phoneNumber);
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
    [Code.FailedPrecondition, (client) => client.createPool(newPool(disabled.accountToken, disabled.phoneNumber))],
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
