import { clone, type MessageShape, toJsonString } from "@bufbuild/protobuf";
import { PoolSchema, PoolService } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Seed } from "./database-seed.ts";
import type { RunningPeer } from "./peers/peer.ts";
import { newPool } from "./workloads/grpc-workloads.ts";

type Pools = Client<typeof PoolService>;
type Pool = MessageShape<typeof PoolSchema>;

/**
 * Checks that gRPC servers do the same work. Compares the responses to each kind of call, created pools as read by the others,
 * and errors.
 *
 * @throws Error that shows the difference.
 */
export async function checkGrpcResponses(peers: readonly RunningPeer[], seed: Seed): Promise<void> {
  const clients = peers.map(({ port }) =>
    createClient(PoolService, createGrpcTransport({ baseUrl: `http://127.0.0.1:${port}` })),
  );
  const all = <T>(call: (client: Pools) => Promise<T>) => inTurn(clients, call);
  const [{ accountToken: accountId, id: poolId } = { accountToken: "", id: "" }] = seed.pools;
  expectSame("GetPool", (await all((client) => client.getPool({ accountId, poolId }))).map(json));
  const lists = await all((client) => client.listPools({ accountId }));
  expectSame(
    "ListPools",
    lists.map(({ pools }) => pools.map(json).join()),
  );

  const [{ accountToken, phoneNumber } = { accountToken: "", phoneNumber: "" }] = seed.writtenAccounts;
  const created = await all((client) => client.createPool(newPool(accountToken, phoneNumber)));
  expectSame("CreatePool", created.map(withoutOwnValues).map(json));
  for (const pool of created) {
    const read = await all((client) => client.getPool({ accountId: accountToken, poolId: pool.id }));
    expectSame("GetPool of what was created", [pool, ...read].map(json));
  }
  for (const [code, call] of refusals(seed)) {
    const codes = (await all((client) => codeOf(call(client)))).map((found) => Code[found ?? 0] ?? "success");
    expectSame(`what is refused as ${Code[code]}`, [Code[code] ?? "", ...codes]);
  }
}

function refusals(seed: Seed): [Code, (client: Pools) => Promise<unknown>][] {
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

/** Returns the message without its id, times and etag, which differ between servers. */
function withoutOwnValues(pool: Pool): Pool {
  return { ...clone(PoolSchema, pool), id: "", etag: "", createdAt: undefined, updatedAt: undefined } as never;
}

function json(pool: Pool): string {
  return toJsonString(PoolSchema, pool);
}

function expectSame(what: string, values: readonly string[]): void {
  if (values.every((value) => value === values[0])) return;
  throw new Error(`the responses to ${what} differ:\n${values.join("\n")}`);
}
