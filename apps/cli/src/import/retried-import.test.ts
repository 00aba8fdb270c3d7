import type { Call, CreateCallRequest } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import type { BatchCreatePoolsRequest } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { runCli } from "../testing/cli.js";
import {
  createFailingMethod,
  type FaultyMethods,
  startFaultyServer,
  unavailableError,
} from "../testing/faulty-server.js";
import { runImport } from "../testing/run-import.js";

/** Imports rows from standard input with a faulty server. */
async function importRow(noun: string, input: string, methods: FaultyMethods) {
  const { url } = await startFaultyServer(methods);
  const account = noun === "inventory" || noun === "calls" ? [] : ["acme"];
  const args = [noun, "import", ...account, "-", "--timeout", "5s", "--retries", "3"];
  return await runImport(args, { server: url, input }, runCli);
}

const numberInput = "phone_number\n+12223334444\n";
const poolInput = "original_number,area_code\n+12223334444,415\n";
const nothing = { listPhoneNumbers: () => ({}), listPools: () => ({}) };

test("retries the registration of a number", async () => {
  const numbers = { ...nothing, createPhoneNumber: createFailingMethod(unavailableError, unavailableError).call };
  const { exitCode, tally } = await importRow("numbers", numberInput, { numbers });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, unanswered: 0 } });
});

test("gives up after the maximum number of retries", async () => {
  const method = createFailingMethod(
    unavailableError,
    unavailableError,
    unavailableError,
    unavailableError,
    unavailableError,
  );
  const numbers = { ...nothing, createPhoneNumber: method.call };
  const { exitCode, tally, stderr } = await importRow("numbers", numberInput, { numbers });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { created: 0, unanswered: 1 } });
  expect(stderr).toContain(unavailableError.rawMessage);
  expect(method.requests).toHaveLength(4);
});

test("retries adding numbers to the inventory", async () => {
  const method = createFailingMethod(unavailableError, unavailableError);
  const inventory = {
    addTrackingNumbers: (request: unknown) => ({ ...method.call(request), added: 1, alreadyThere: 1 }),
  };
  const input = "phone_number,area_code\n+14155550000,415\n+14155550001,415\n";
  const { exitCode, tally } = await importRow("inventory", input, { inventory });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, already_there: 1, unanswered: 0 } });
  expect(method.requests).toHaveLength(3);
});

test("retries recording visits", async () => {
  const method = createFailingMethod(unavailableError, unavailableError);
  const traffic = { recordVisits: (request: unknown) => ({ ...method.call(request), recorded: 1 }) };
  const input = "event_id,property_token,source,medium\ne1,www,google,cpc\n";
  const { exitCode, tally } = await importRow("visits", input, { numbers: nothing, traffic });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, unanswered: 0 } });
});

test("retries the completion of calls, even with a key that may not read calls", async () => {
  const method = createFailingMethod(unavailableError, unavailableError);
  const calls = {
    batchCreateCalls: () => ({ alreadyThere: 2 }),
    createCall: ({ callId, trackingNumber, startedAt }: CreateCallRequest) => {
      const call = { callId, trackingNumber, accountToken: "acme", id: callId, startedAt };
      return call as Call;
    },
    listCalls: () => {
      throw new ConnectError("the key must not read", Code.PermissionDenied);
    },
    updateCall: method.call,
  };
  const line = (id: string) => `${id},+12185550001,2026-11-21T08:30:00Z,2026-11-21T08:31:00Z\n`;
  const input = `call_id,tracking_number,started_at,ended_at\n${line("1")}${line("2")}`;
  const { exitCode, tally } = await importRow("calls", input, { calls });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { rows: 2, completed: 2, unanswered: 0 } });
  expect(method.requests).toHaveLength(4);
});

test("reports all rows of a batch as unanswered if no response arrives", async () => {
  const addTrackingNumbers = () => {
    throw new ConnectError("what is that?", Code.Unimplemented);
  };
  const input = "phone_number,area_code\n+14155550000,415\n+14155550001,415\n+14155550002,415\n";
  const { exitCode, tally } = await importRow("inventory", input, { inventory: { addTrackingNumbers } });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { rows: 3, created: 0, unanswered: 3 } });
});

test("retries a batch of pools with the same request ids, which are the same for the same rows", async () => {
  const method = createFailingMethod<BatchCreatePoolsRequest>(unavailableError, unavailableError);
  const answer = { created: 2, poolIds: ["one", "two"] };
  const batchCreatePools = (request: BatchCreatePoolsRequest) => ({ ...method.call(request), ...answer });
  const pools = { ...nothing, batchCreatePools };
  const input = `${poolInput}+12223334444,415\n`;
  const { exitCode, tally } = await importRow("pools", input, { numbers: nothing, pools });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 2, unanswered: 0 } });
  const requestIds = () => method.requests.map((request) => request.pools.map(({ requestId }) => requestId));
  const ids = requestIds();
  expect(ids).toStrictEqual([[expect.any(String), expect.any(String)], ids[0], ids[0]]);
  expect(new Set(ids[0]).size).toBe(2);
  await importRow("pools", input, { numbers: nothing, pools });
  expect(requestIds().at(-1)).toStrictEqual(ids[0]);
});

test("reports a pool as unanswered after a timeout", async () => {
  const hang = () => new Promise<never>(() => {});
  const pools = { ...nothing, batchCreatePools: hang };
  const { exitCode, tally, stderr } = await importRow("pools", poolInput, { numbers: nothing, pools });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { rows: 1, unanswered: 1 } });
  expect(stderr).toContain("Allow more time with --timeout");
});
