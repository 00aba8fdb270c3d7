import type { CreateCallRequest } from "@calltrack/domain/gen/calltracking/v1/call_pb";
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../testing/cli.js";
import { type FaultyMethods, startFaultyServer } from "../testing/faulty-server.js";

/** Imports one row from standard input with a faulty server. */
async function importRow(noun: string, input: string, methods: FaultyMethods) {
  const server = await startFaultyServer(methods);
  onTestFinished(() => server.close());
  const account = noun === "inventory" || noun === "calls" ? [] : ["acme"];
  const args = [noun, "import", ...account, "-", "--output", "json", "--timeout", "5s", "--retries", "3"];
  const { exitCode, stdout, stderr } = await runCli(args, { server: server.url, input });
  return { exitCode, stderr, tally: JSON.parse(stdout) };
}

/** Returns a method that fails `times` times and then succeeds, and counts its calls. */
function failing(times: number) {
  const method = {
    calls: 0,
    call: () => {
      method.calls += 1;
      if (method.calls <= times) throw new ConnectError("come back later", Code.Unavailable);
      return {};
    },
  };
  return method;
}

const numberInput = "phone_number\n+12223334444\n";
const poolInput = "original_number,area_code\n+12223334444,415\n";
const nothing = { listPhoneNumbers: () => ({}), listPools: () => ({}) };

test("retries the registration of a number", async () => {
  const numbers = { ...nothing, createPhoneNumber: failing(2).call };
  const { exitCode, tally } = await importRow("numbers", numberInput, { numbers });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, unanswered: 0 } });
});

test("gives up after the maximum number of retries", async () => {
  const method = failing(100);
  const numbers = { ...nothing, createPhoneNumber: method.call };
  const { exitCode, tally, stderr } = await importRow("numbers", numberInput, { numbers });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { created: 0, unanswered: 1 } });
  expect(stderr).toContain("come back later");
  expect(method.calls).toBe(4);
});

test("retries adding numbers to the inventory", async () => {
  const method = failing(2);
  const inventory = {
    addTrackingNumbers: () => {
      method.call();
      return { added: 1, alreadyThere: 1 };
    },
  };
  const input = "phone_number,area_code\n+14155550000,415\n+14155550001,415\n";
  const { exitCode, tally } = await importRow("inventory", input, { inventory });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, already_there: 1, unanswered: 0 } });
  expect(method.calls).toBe(3);
});

test("retries recording visits", async () => {
  const method = failing(2);
  const traffic = {
    recordVisits: () => {
      method.call();
      return { recorded: 1 };
    },
  };
  const input = "event_id,property_token,source,medium\ne1,www,google,cpc\n";
  const { exitCode, tally } = await importRow("visits", input, { numbers: nothing, traffic });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 1, unanswered: 0 } });
});

test("retries to complete calls, also with a key that must not read calls", async () => {
  const method = failing(2);
  const calls = {
    batchCreateCalls: () => ({ alreadyThere: 2 }),
    createCall: ({ callId, trackingNumber, startedAt }: CreateCallRequest) => {
      const call = {
        callId: callId ?? "",
        trackingNumber: trackingNumber ?? "",
        accountToken: "acme",
        id: callId ?? "",
      };
      return { ...call, ...(startedAt && { startedAt }) };
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
  expect(method.calls).toBe(4);
});

test("reports all rows of a batch as unanswered if no response arrives", async () => {
  const inventory = {
    addTrackingNumbers: () => {
      throw new ConnectError("what is that?", Code.Unimplemented);
    },
  };
  const input = "phone_number,area_code\n+14155550000,415\n+14155550001,415\n+14155550002,415\n";
  const { exitCode, tally } = await importRow("inventory", input, { inventory });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { rows: 3, created: 0, unanswered: 3 } });
});

test("retries a batch of pools with the same request ids, which are the same for the same rows", async () => {
  const method = failing(2);
  const ids: unknown[] = [];
  const batchCreatePools = ({ pools }: { pools: readonly { requestId?: string | undefined }[] }) => {
    ids.push(pools.map(({ requestId }) => requestId));
    method.call();
    return { created: 2, poolIds: ["one", "two"] };
  };
  const pools = { ...nothing, batchCreatePools };
  const input = `${poolInput}+12223334444,415\n`;
  const { exitCode, tally } = await importRow("pools", input, { numbers: nothing, pools });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 0, tally: { created: 2, unanswered: 0 } });
  expect(ids).toStrictEqual([[expect.any(String), expect.any(String)], ids[0], ids[0]]);
  expect(new Set(ids[0] as string[]).size).toBe(2);
  await importRow("pools", input, { numbers: nothing, pools });
  expect(ids.at(-1)).toStrictEqual(ids[0]);
});

test("reports a pool as unanswered after a timeout", async () => {
  const hang = () => new Promise<never>(() => {});
  const pools = { ...nothing, batchCreatePools: hang };
  const { exitCode, tally, stderr } = await importRow("pools", poolInput, { numbers: nothing, pools });
  expect({ exitCode, tally }).toMatchObject({ exitCode: 3, tally: { rows: 1, unanswered: 1 } });
  expect(stderr).toContain("Allow more time with --timeout");
});
