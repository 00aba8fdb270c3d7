import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { describeOnEngines } from "../testing/behavior.js";
import { callConnect } from "../testing/connect-call.js";
import { expectErrorShape } from "../testing/error-shape.js";
import { callUnary, createGrpcConnection, getApiMethodDefinition } from "../testing/grpc-client.js";
import { sendHttp } from "../testing/http-request.js";
import { lockTable } from "../testing/lock-table.js";
import { requireRefusal } from "../testing/refusal.js";
import { newAccount, uniqueToken } from "../testing/request-fields.js";

const EXPIRED = {
  message: "the deadline passed before the response was ready: allow more time or request less data",
  reason: "DEADLINE_EXCEEDED",
};

describeOnEngines("deadlines", (service) => {
  describe("of requests that wait for the database", () => {
    let lock: AsyncDisposable;

    beforeEach(async () => {
      lock = await lockTable(service.server, "accounts");
    });

    afterEach(async () => {
      await lock[Symbol.asyncDispose]();
      // Creating an account completes only after all statements that were waiting for the lock.
      await newAccount(service.clients.grpc);
    });

    test("end the request over gRPC, on the server's side", async () => {
      const client = createGrpcConnection(service.server.port);
      const request = { account_token: uniqueToken() };
      const call = callUnary(client, getApiMethodDefinition("AccountService", "CreateAccount"), request, {
        "grpc-timeout": "200m",
      });
      expect(await requireRefusal(call)).toMatchObject({ status: "DEADLINE_EXCEEDED", ...EXPIRED });
      client.close();
    });

    test("end the request over JSON", async () => {
      const answer = await sendHttp("HTTP/1.1", service.server.port, {
        method: "POST",
        target: "/call_tracking/accounts",
        headers: { "x-server-timeout": "0.2" },
        body: { account_token: uniqueToken() },
      });
      const refusal = expectErrorShape(answer.status, answer.headers["content-type"], answer.text);
      expect(answer.status).toBe(504);
      expect(refusal).toMatchObject({ status: "DEADLINE_EXCEEDED", ...EXPIRED });
    });

    test("end the request over Connect", async () => {
      const request = { accountToken: uniqueToken() };
      const procedure = "calltracking.v1.AccountService/CreateAccount";
      const answer = await callConnect(service.server.url, procedure, request, { "connect-timeout-ms": "200" });
      expect(answer).toMatchObject({ httpStatus: 504, code: "deadline_exceeded", message: EXPIRED.message });
      expect(answer.details).toMatchObject([{ reason: EXPIRED.reason, domain: "calltracking" }]);
    });
  });

  test("have no effect if they are not reached", async () => {
    const answer = await sendHttp("HTTP/1.1", service.server.port, {
      method: "POST",
      target: "/call_tracking/accounts",
      headers: { "x-server-timeout": "60" },
      body: { account_token: uniqueToken() },
    });
    expect(answer.status).toBe(201);
  });
});
