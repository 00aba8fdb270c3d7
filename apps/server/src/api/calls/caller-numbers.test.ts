import { sql } from "kysely";
import { expect, test } from "vitest";
import { openDatabase } from "../../database/open-database.js";
import { describeBehavior } from "../../testing/behavior.js";
import { createDataLocation } from "../../testing/data-location.js";
import { createGrpcClient } from "../../testing/grpc-client.js";
import { createJsonClient } from "../../testing/json-client.js";
import { startOtlpReceiver } from "../../testing/otlp-receiver.js";
import { newPbx } from "../../testing/phone-system-client.js";
import {
  createManualPoolFields,
  newAccountWithNumber,
  uniqueNumber,
  uniqueToken,
} from "../../testing/request-fields.js";
import { startServerProcess } from "../../testing/server-process.js";
import { addNumbers, newTrackedPool } from "../../testing/tracked-pool.js";

const CALLERS = ["+12125550123", "+12125550124"];

describeBehavior(
  "calls on a server that hashes caller numbers",
  (service) => {
    test("store no caller number, and can be listed and forgotten by caller", async () => {
      const pool = await newTrackedPool(service, { pool_type: "manual", size: 1, numbers: 1 });
      const [tracker] = pool.trackers;
      const [caller_number, account_id] = [uniqueNumber(), pool.account.account_token];
      const request = { call_id: "1", tracking_number: tracker?.tracking_number, caller_number };
      const first = await service.api.createCall(request);
      expect(first).toMatchObject({ caller_number: null, is_first_call: true });
      expect(await service.api.createCall(request)).toEqual(first);
      expect(await service.api.createCall({ ...request, call_id: "2" })).toMatchObject({ is_first_call: false });
      expect(await service.api.createCall({ ...request, call_id: "3", caller_number: uniqueNumber() })).toMatchObject({
        is_first_call: true,
      });
      const { entries } = await service.api.listCalls({ account_id, caller_number });
      expect(entries.map(({ call_id }) => call_id)).toEqual(["2", "1"]);
      const stored = await sql<{ text: string }>`select calls::text as text from calls`.execute(
        service.server.database.kysely,
      );
      expect(JSON.stringify(stored.rows)).not.toContain(caller_number.slice(1));
      expect(await service.api.forgetCaller({ account_id, caller_number })).toEqual({ calls: 2 });
      expect((await service.api.listCalls({ account_id, caller_number })).entries).toEqual([]);
    });
  },
  { callerNumbers: "hash" },
);

test("logs, traces, metrics and errors contain no caller numbers", async () => {
  await using location = await createDataLocation("postgres");
  await using collector = await startOtlpReceiver();
  const environment = {
    ...location.environment,
    ...{ LOG_LEVEL: "trace", OPS_PORT: "0", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, PASS_INTERVAL: "1s" },
    PUBLIC_URL: "https://calls.example",
  };
  const server = await startServerProcess(environment);
  const clients = [createJsonClient(server.url), createGrpcClient(server.port)] as const;
  const [api] = clients;
  const { account, number } = await newAccountWithNumber(api);
  await addNumbers(api, "0123", 1);
  const account_id = account.account_token;
  const pool = await api.createPool(createManualPoolFields(account, number, { size: 1 }));
  const findTracker = async () => (await api.listCallTrackers({ account_id, pool_id: pool.id })).entries[0];
  await expect.poll(async () => (await findTracker()) !== undefined).toBe(true);
  const tracking_number = (await findTracker())?.tracking_number;
  const pbx = await newPbx(api, server.url);
  const errors: string[] = [];
  const useAll = async () => {
    for (const from of CALLERS) {
      const ring = { call_id: uniqueToken("call"), to: String(tracking_number), from, diversion: from };
      for (const page of ["voice", "status", "recording"]) {
        errors.push(JSON.stringify(await pbx.send(page, { ...ring, event: "ended" }, { token: uniqueToken() })));
        const { status } = await pbx.send(page, { ...ring, event: "ended" });
        if (status !== 200 && status !== 204) errors.push(String(status));
      }
    }
    for (const client of clients) {
      for (const caller_number of [...CALLERS, `${CALLERS[0]} `, "+1212555012x"]) {
        const call = { call_id: uniqueToken("call"), tracking_number, caller_number };
        const requests: Promise<unknown>[] = [
          client.createCall(call),
          client.createCall({ ...call, call_id: "same" }),
          client.createCall({ ...call, tracking_number: uniqueNumber() }),
          client.createCall({ ...call, outcome: "busy", unknown: caller_number }),
          client.batchCreateCalls({ calls: [{ ...call, started_at: new Date().toISOString() }, call] }),
          client.listCalls({ account_id, caller_number, page_size: 1 }),
          client.listCalls({ account_id, caller_number, page_token: "x" }),
          client.forgetCaller({ account_id, caller_number }),
          client.forgetCaller({ account_id: "nobody", caller_number }),
        ];
        for (const outcome of await Promise.allSettled(requests)) {
          if (outcome.status === "rejected") errors.push(String(outcome.reason));
        }
      }
    }
  };
  await useAll();
  const database = openDatabase({ kind: "postgres", url: location.environment.DATABASE_URL ?? "" });
  // The error of a violated check constraint contains the whole row, including the caller's number.
  await sql`alter table calls add constraint no_calls check (call_id = 'none') not valid`.execute(database.kysely);
  await useAll();
  await sql`alter table calls rename column caller_key to caller`.execute(database.kysely);
  await useAll();
  await database.close();
  const metrics = await (await fetch(`${await server.opsUrl()}/metrics`)).text();
  for (const client of clients) client.close();
  const { stdout, stderr } = await server.stop();
  const output = stdout + stderr + collector.text + metrics + errors.join("\n");
  expect(output).toContain('"level":"error"');
  expect(output).toContain("calltrack_calls_total");
  expect(output).toContain("a report about a call could not be recorded");
  for (const caller of CALLERS) expect(output).not.toContain(caller.slice(4));
});
