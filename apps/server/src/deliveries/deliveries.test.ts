import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { Webhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, onTestFinished, test } from "vitest";
import type { RequestFields } from "../testing/api-client.js";
import { describeBehavior, describeOnEngines } from "../testing/behavior.js";
import { createJsonClient } from "../testing/json-client.js";
import { readMetric } from "../testing/read-metric.js";
import { requireRefusal } from "../testing/refusal.js";
import {
  createManualPoolFields,
  getPoolKeyFields,
  newAccountWithNumber,
  newPool,
  uniqueNumber,
} from "../testing/request-fields.js";
import { createTestDatabase } from "../testing/test-database.js";
import { serveDatabase } from "../testing/test-server.js";
import { newTrackedPool } from "../testing/tracked-pool.js";
import {
  answerWith,
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../testing/webhook-receiver.js";

const SENDING = { sendsWebhooks: true, allowsPrivateWebhooks: true };

describeBehavior(
  "webhook deliveries",
  (service) => {
    const run = (statement: string) => sql.raw(statement).execute(service.server.database.kysely);

    /** Makes all waiting deliveries due now, as if the time until their next attempt had passed. */
    async function passTime(): Promise<void> {
      await run("update webhook_deliveries set due_at = now() where status = 'waiting' and due_at < 'infinity'");
      await run("update webhook_endpoints set due_at = now()");
    }

    async function newEndpoint(receiver: WebhookReceiver, account_id: string, fields: RequestFields = {}) {
      const request = { account_id, url: receiver.url, types: ["pool.*"], ...fields };
      const { webhook_endpoint, secret } = await service.api.createWebhookEndpoint(request);
      const name = { account_id, webhook_endpoint_id: webhook_endpoint.id };
      const list = async (filter: RequestFields = {}) =>
        (await service.api.listWebhookDeliveries({ ...name, ...filter })).entries;
      return { name, secret, list };
    }

    /** Creates an endpoint and an event whose first attempt the receiver rejects. Leaves the receiver rejecting all requests. */
    async function newFailedDelivery(receiver: WebhookReceiver) {
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      receiver.answer = answerWith(500);
      const endpoint = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await endpoint.list())[0]?.attempts).toBe(1);
      return { account, number, ...endpoint };
    }

    test("have the events as they are listed, and signatures that receivers verify", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const account_id = account.account_token;
      const { secret, name, list } = await newEndpoint(receiver, account_id, {
        types: ["pool.created", "phone_number.*"],
      });
      await api.createPhoneNumber({ account_id, phone_number: uniqueNumber() });
      await api.createPool(createManualPoolFields(account, number, { description: "\u2028\u{1F4DE} <é> \\ / \u007f" }));
      const received = await receiver.wait(2);
      const listed = await fetch(
        `${service.server.url}/dni_manager/accounts/${account_id}/events?types=pool.created&types=phone_number.*`,
      );
      const events = ((await listed.json()) as { readonly id: string }[]).slice(-2);
      const byId = (one: { readonly id: string }, other: { readonly id: string }) => (one.id < other.id ? -1 : 1);
      expect(received.map(({ event }) => event).toSorted(byId)).toEqual(events.toSorted(byId));
      for (const { headers, body, event } of received) {
        expect(headers).toMatchObject({ "content-type": "application/json", "webhook-id": event.id });
        // Some frameworks give a receiver only the parsed body. Serializing it must produce the body that was signed.
        expect(JSON.stringify(JSON.parse(body))).toBe(body);
        expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event);
        expect(() => new SvixWebhook(secret).verify(body, headers as Record<string, string>)).not.toThrow();
        expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
        expect(() => new SvixWebhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
      }
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(2);
      expect(await list()).toMatchObject([
        { attempts: 1, response_status: 200, failure: null, response_body: null, next_attempt_at: null },
        { attempts: 1, response_status: 200, failure: null, response_body: null, next_attempt_at: null },
      ]);
      expect((await api.testWebhookEndpoint(name)).event).toMatchObject({ type: "webhook_endpoint.test" });
      expect((await receiver.wait(3)).at(-1)?.event).toMatchObject({
        type: "webhook_endpoint.test",
        account_token: account_id,
      });
    });

    test("go to the endpoints of the account and of all accounts only", async () => {
      await using own = await startWebhookReceiver();
      await using others = await startWebhookReceiver();
      await using all = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const other = await newAccountWithNumber(api);
      await newEndpoint(own, account.account_token);
      await newEndpoint(others, other.account.account_token);
      const operators = `${service.server.url}/dni_manager/webhook_endpoints`;
      const created = await fetch(operators, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: all.url, types: ["pool.created", "tracking_number.added"], payload: "thin" }),
      });
      expect(created.headers.get("location")).toMatch(/^\/dni_manager\/webhook_endpoints\/[\da-f-]{36}$/);
      const pool = await api.createPool(createManualPoolFields(account, number));
      const phone_number = uniqueNumber();
      await api.addTrackingNumbers({ tracking_numbers: [{ phone_number, area_code: "1" }] });
      await own.wait(1);
      await all.wait(2);
      const [thin] = all.received.filter(({ event }) => event.subject.endsWith(pool.id));
      expect(thin?.event).toMatchObject({ type: "pool.created", account_token: account.account_token });
      expect(Object.keys(thin?.event ?? {})).not.toContain("pool");
      expect(own.received[0]?.event.pool).toEqual(pool);
      expect(others.received).toEqual([]);
      const deletion = { method: "DELETE" };
      const url = service.server.url + created.headers.get("location");
      expect([(await fetch(url, deletion)).status, (await fetch(url, deletion)).status]).toEqual([204, 404]);
    });

    test("are repeated with the same id until the receiver accepts them, and say why they failed", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      receiver.answer = answerWith(503, "up\0stream \u{1F4DE}".padEnd(5000, "x"));
      const { list } = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await list())[0]?.failure).toBe("the receiver answered 503");
      const [failed] = await list();
      expect(failed).toMatchObject({ status: "waiting", attempts: 1, response_status: 503 });
      await expect.poll(async () => (await list())[0]?.response_body).toMatch(/^upstream \u{1F4DE}x{1010}$/u);
      const waitMs = Date.parse(failed?.next_attempt_at ?? "") - Date.parse(failed?.attempted_at ?? "");
      expect(waitMs).toBeGreaterThanOrEqual(4500);
      expect(waitMs).toBeLessThanOrEqual(5500);
      receiver.answer = answerWith(302, "", { location: "https://hooks.example/" });
      await passTime();
      await expect
        .poll(async () => (await list())[0]?.failure)
        .toBe("the receiver answered 302: redirects are not followed");
      receiver.answer = (response) => response.destroy();
      await passTime();
      await expect
        .poll(async () => (await list())[0]?.failure)
        .toBe("the receiver closed the connection without an answer");
      receiver.answer = answerWith(204);
      await passTime();
      await expect.poll(async () => (await list())[0]?.status).toBe("delivered");
      expect(await list()).toMatchObject([{ attempts: 4, response_status: 204, failure: null, response_body: null }]);
      expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    });

    test("die after the tenth attempt, and can be sent again, one or all since a time", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const since = new Date().toISOString();
      const { account, number, name, list } = await newFailedDelivery(receiver);
      await run("update webhook_deliveries set attempts = 9 where status = 'waiting'");
      await passTime();
      await expect.poll(async () => (await list({ status: "dead" })).length).toBe(1);
      const [dead] = await list();
      expect(dead).toMatchObject({ status: "dead", attempts: 10, next_attempt_at: null });
      receiver.answer = answerWith(200);
      const count = receiver.received.length;
      const again = await api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: dead?.id });
      expect(again).toMatchObject({ id: dead?.id, status: "waiting", attempts: 0 });
      await receiver.wait(count + 1);
      await api.createPool(createManualPoolFields(account, number));
      await receiver.wait(count + 2);
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(2);
      await api.redeliverWebhookDeliveries({ ...name, since });
      await receiver.wait(count + 4);
      const ids = receiver.received.slice(count).map(({ headers }) => headers["webhook-id"]);
      expect(new Set(ids).size).toBe(2);
      expect(
        await requireRefusal(api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: "999999" })),
      ).toMatchObject({
        reason: "WEBHOOK_DELIVERY_NOT_FOUND",
      });
    });

    test("since the time of an event include that event", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const { name, list } = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await list())[0]?.status).toBe("delivered");
      // Events have times in microseconds.
      await run(`update events set occurred_at = date_trunc('milliseconds', occurred_at) + interval '700 microseconds'
        where account_id = ${account.id}`);
      // The gRPC client of the tests shows times in milliseconds.
      const { json } = service.clients;
      const { entries } = await json.listEvents({ account_id: account.account_token, types: ["pool.created"] });
      await json.redeliverWebhookDeliveries({ ...name, since: entries[0]?.occurred_at });
      await receiver.wait(2);
    });

    test("that a request repeats while an attempt is open are not ended by that attempt", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { name, list } = await newFailedDelivery(receiver);
      await run("update webhook_deliveries set attempts = 9 where status = 'waiting'");
      const open: ServerResponse[] = [];
      receiver.answer = (response) => void open.push(response);
      await passTime();
      await expect.poll(() => open.length).toBe(1);
      const [delivery] = await list();
      await api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: delivery?.id });
      receiver.answer = answerWith(200);
      open[0]?.writeHead(500).end();
      await expect.poll(async () => (await list())[0]?.status).toBe("delivered");
      expect((await list())[0]?.attempts).toBe(1);
    });

    test("of each resource are in order, even if an earlier event is sent again while one fails", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const pool = await api.createPool(createManualPoolFields(account, number));
      const fields = { types: ["pool.updated"], ordered: true };
      const { name, list } = await newEndpoint(receiver, account.account_token, fields);
      const update = (size: number) => api.updatePool({ ...getPoolKeyFields(account, pool), size });
      await update(11);
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(1);
      const [first] = await list();
      receiver.answer = answerWith(500);
      await update(12);
      await update(13);
      await expect.poll(async () => (await list({ status: "waiting" })).length).toBe(2);
      await expect.poll(async () => (await list())[1]?.attempts).toBeGreaterThan(0);
      await run("update webhook_deliveries set due_at = due_at + interval '1 hour' where status = 'waiting'");
      receiver.answer = answerWith(200);
      await api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: first?.id });
      await expect.poll(async () => (await list()).at(-1)?.status).toBe("delivered");
      const [held, failed] = await list();
      expect([held, failed]).toMatchObject([
        { status: "waiting", next_attempt_at: null, attempts: 0 },
        { status: "waiting" },
      ]);
      // A request to send the held event also leaves the order as it is.
      await api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: held?.id });
      expect((await list())[0]).toMatchObject({ status: "waiting", next_attempt_at: null });
      await passTime();
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(3);
      const positions = receiver.received.slice(-2).map(({ event }) => event.position);
      expect(positions).toEqual([failed?.id, held?.id]);
    });

    test("to an earlier URL neither disable the endpoint nor delay it", async () => {
      await using former = await startWebhookReceiver();
      await using current = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const { name, list } = await newEndpoint(former, account.account_token, { types: ["pool.created"] });
      const open: ServerResponse[] = [];
      former.answer = (response) => void open.push(response);
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(() => open.length).toBe(1);
      await api.updateWebhookEndpoint({ ...name, url: current.url });
      open[0]?.writeHead(410, { "retry-after": "3600" }).end();
      await expect.poll(async () => (await list())[0]?.attempts).toBeGreaterThan(0);
      await passTime();
      await current.wait(1);
      expect(await api.getWebhookEndpoint(name)).toMatchObject({ is_active: true, url: current.url });

      // The new receiver does not wait for the time that the earlier one requested.
      current.answer = answerWith(503, "", { "retry-after": "3600" });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await list())[0]?.attempts).toBe(1);
      former.answer = answerWith(200);
      await api.updateWebhookEndpoint({ ...name, url: former.url });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await list())[0]?.status).toBe("delivered");
    });

    test("of each resource are in order, and one that fails holds back only its own", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const [slow, other] = [
        await api.createPool(createManualPoolFields(account, number)),
        await api.createPool(createManualPoolFields(account, number)),
      ];
      const isOf = (id: string) => (webhook: { readonly event: { readonly subject: string } }) =>
        webhook.event.subject.endsWith(id);
      receiver.answer = (response, webhook) => response.writeHead(isOf(slow.id)(webhook) ? 500 : 200).end();
      const fields = { types: ["pool.updated"], ordered: true, concurrency: 50 };
      const { list } = await newEndpoint(receiver, account.account_token, fields);
      const sizes = [11, 12, 13, 14];
      for (const size of sizes) {
        await api.updatePool({ ...getPoolKeyFields(account, slow), size });
        await api.updatePool({ ...getPoolKeyFields(account, other), size });
      }
      await expect.poll(() => receiver.received.filter(isOf(other.id)).length).toBe(4);
      await expect.poll(async () => (await list({ status: "waiting" })).length).toBe(4);
      expect(receiver.received.filter(isOf(slow.id))).toHaveLength(1);
      const held = (await list({ status: "waiting" })).toReversed();
      expect(held.map(({ next_attempt_at }) => next_attempt_at === null)).toEqual([false, true, true, true]);
      receiver.answer = answerWith(200);
      await passTime();
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(8);
      for (const { id } of [slow, other]) {
        const positions = receiver.received.filter(isOf(id)).map(({ event }) => Number(event.position));
        expect(positions).toEqual(positions.toSorted((one, next) => one - next));
      }
    });

    test("to a receiver that hangs do not delay those to others", async () => {
      await using hanging = await startWebhookReceiver();
      await using quick = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      hanging.answer = () => {};
      await newEndpoint(hanging, account.account_token, { types: ["pool.created"], concurrency: 1 });
      await newEndpoint(quick, account.account_token, { types: ["pool.created"] });
      for (let count = 1; count <= 3; count++) {
        await api.createPool(createManualPoolFields(account, number));
        await quick.wait(count);
      }
      expect(hanging.received).toHaveLength(1);
    });

    test("end when the receiver is gone, and go on where they stopped when the endpoint is resumed", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      receiver.answer = answerWith(410);
      const { name, list } = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      const read = () => api.getWebhookEndpoint(name);
      await expect.poll(async () => (await read()).inactive_reason).toBe("the receiver answered 410 Gone");
      const { entries } = await api.listEvents({ account_id: account.account_token, types: ["webhook_endpoint.*"] });
      expect(entries.map(({ type }) => type)).toEqual(["webhook_endpoint.created", "webhook_endpoint.disabled"]);
      expect(await requireRefusal(api.testWebhookEndpoint(name))).toMatchObject({
        reason: "WEBHOOK_ENDPOINT_INACTIVE",
      });
      await api.createPool(createManualPoolFields(account, number));
      await pause(500);
      expect(receiver.received).toHaveLength(1);
      receiver.answer = answerWith(200);
      expect(await api.resumeWebhookEndpoint(name)).toMatchObject({ is_active: true, inactive_reason: null });
      await passTime();
      await expect.poll(async () => (await list({ status: "delivered" })).length).toBe(2);
    });

    test("end when nothing was accepted for three days", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { name, list } = await newFailedDelivery(receiver);
      await run(
        `update webhook_endpoints set failing_since = now() - interval '76 hours' where id = '${name.webhook_endpoint_id}'`,
      );
      await passTime();
      await expect
        .poll(async () => (await api.getWebhookEndpoint(name)).inactive_reason)
        .toBe("the receiver accepted no request for three days");
      // Resuming the endpoint restarts the three days, so the next failure does not disable the endpoint at once.
      await api.resumeWebhookEndpoint(name);
      const { length } = receiver.received;
      await passTime();
      await receiver.wait(length + 1);
      await expect.poll(async () => (await list())[0]?.attempts).toBe(3);
      expect(await api.getWebhookEndpoint(name)).toMatchObject({ is_active: true });
    });

    test("wait as long as the receiver asks", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      receiver.answer = answerWith(429, "", { "retry-after": "3600" });
      const { list } = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      await expect.poll(async () => (await list())[0]?.attempts).toBe(1);
      const [first] = await list();
      expect(Date.parse(first?.next_attempt_at ?? "") - Date.now()).toBeGreaterThan(3_500_000);
      await api.createPool(createManualPoolFields(account, number));
      await pause(1000);
      expect(receiver.received).toHaveLength(1);
    });

    test("leave out events of calls that had started too long before, except that the caller was forgotten", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account } = await newAccountWithNumber(api);
      const account_id = account.account_token;
      await newEndpoint(receiver, account_id, { types: ["call.*"], max_age: "3600s" });
      const caller_number = uniqueNumber();
      const callOf = (call_id: string, minutes: number) => ({
        ...{ call_id, tracking_number: uniqueNumber(), original_number: uniqueNumber(), caller_number },
        started_at: new Date(Date.now() - minutes * 60_000).toISOString(),
        ...{ source: "google", medium: "cpc" },
      });
      await api.importCallHistory({ account_id, calls: [callOf("old", 61), callOf("recent", 30)] });
      await receiver.wait(1);
      await api.forgetCaller({ account_id, caller_number });
      await receiver.wait(3);
      const shown = receiver.received.map(
        ({ event }) => `${event.type} ${(event.call as { call_id: string }).call_id}`,
      );
      expect(shown.toSorted()).toEqual([
        "call.caller_forgotten old",
        "call.caller_forgotten recent",
        "call.ended recent",
      ]);
    });

    test("show no forgotten caller, and neither do answers that repeat the request", async () => {
      await using receiver = await startWebhookReceiver();
      const { api, server } = service;
      const { account, trackers } = await newTrackedPool({ api, server }, { pool_type: "manual", size: 1, numbers: 1 });
      const account_id = account.account_token;
      receiver.answer = (response, { body }) => response.writeHead(500).end(body);
      const { name, list } = await newEndpoint(receiver, account_id, { types: ["call.started"] });
      const caller_number = uniqueNumber();
      await api.createCall({ call_id: caller_number, tracking_number: trackers[0]?.tracking_number, caller_number });
      await expect.poll(async () => (await list())[0]?.response_body).toContain(caller_number);
      // Delays the response to the next attempt until the caller is forgotten.
      const held = Promise.withResolvers<void>();
      receiver.answer = async (response, { body }) => {
        await held.promise;
        response.writeHead(500).end(body);
      };
      await passTime();
      await receiver.wait(2);
      await api.forgetCaller({ account_id, caller_number });
      const stored = async () => JSON.stringify((await run("select response_body from webhook_deliveries")).rows);
      expect(await stored()).not.toContain(caller_number);
      held.resolve();
      await expect.poll(async () => (await list())[0]?.attempts).toBe(2);
      await pause(200);
      expect(await stored()).not.toContain(caller_number);
      await api.redeliverWebhookDelivery({ ...name, webhook_delivery_id: (await list())[0]?.id });
      const received = await receiver.wait(3);
      expect(received[1]?.body).toContain(`"caller_number":"${caller_number}"`);
      expect(received[2]?.event.call).toMatchObject({ caller_number: null });
    });

    test("without the resource leave no answer that arrives after the caller was forgotten", async () => {
      await using receiver = await startWebhookReceiver();
      const { api, server } = service;
      const { account, trackers } = await newTrackedPool({ api, server }, { pool_type: "manual", size: 1, numbers: 1 });
      const account_id = account.account_token;
      const fields = { types: ["call.started"], payload: "thin" };
      const { name, list } = await newEndpoint(receiver, account_id, fields);
      const caller_number = uniqueNumber();
      const open: ServerResponse[] = [];
      receiver.answer = (response) => void open.push(response);
      await api.createCall({ call_id: caller_number, tracking_number: trackers[0]?.tracking_number, caller_number });
      await expect.poll(() => open.length).toBe(1);
      await api.forgetCaller({ account_id, caller_number });
      // The receiver has read the call from the API.
      open[0]?.writeHead(500).end(caller_number);
      await expect.poll(async () => (await list())[0]?.attempts).toBe(1);
      // The sender stores answers before it starts the next attempt.
      receiver.answer = answerWith(200);
      await api.testWebhookEndpoint(name);
      await receiver.wait(2);
      const stored = await run("select response_body from webhook_deliveries");
      expect(JSON.stringify(stored.rows)).not.toContain(caller_number);
    });

    test("have a signature by each secret while one replaces the other", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account } = await newPool(api);
      const { name, secret } = await newEndpoint(receiver, account.account_token);
      const isBy = (by: string, webhook: ReceivedWebhook | undefined) => {
        try {
          return Boolean(new Webhook(by).verify(webhook?.body ?? "", webhook?.headers as Record<string, string>));
        } catch {
          return false;
        }
      };
      // Waits for a request that is signed with the newest secret. A process that read the endpoint just before a rotation signs its request with an
      // older secret. The receiver rejects that request, and the process retries it.
      const receiveTest = async (newest: string) => {
        receiver.answer = (response, webhook) => response.writeHead(isBy(newest, webhook) ? 200 : 401).end();
        await api.testWebhookEndpoint(name);
        await expect.poll(() => isBy(newest, receiver.received.at(-1))).toBe(true);
        return receiver.received.at(-1);
      };
      const rotated = await api.rotateWebhookEndpointSecret({ ...name, overlap_seconds: 60 });
      const during = await receiveTest(rotated.secret);
      expect(isBy(secret, during)).toBe(true);
      const { secret: newest } = await api.rotateWebhookEndpointSecret({ ...name, overlap_seconds: 0 });
      const after = await receiveTest(newest);
      expect([isBy(secret, after), isBy(rotated.secret, after)]).toEqual([false, false]);
    });

    test("end when the endpoint is deleted or made inactive", async () => {
      await using receiver = await startWebhookReceiver();
      const { api } = service;
      const { account, number } = await newAccountWithNumber(api);
      const first = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      const second = await newEndpoint(receiver, account.account_token, { types: ["pool.created"] });
      await api.createPool(createManualPoolFields(account, number));
      await receiver.wait(2);
      await api.deleteWebhookEndpoint(first.name);
      await api.updateWebhookEndpoint({ ...second.name, is_active: false });
      await api.createPool(createManualPoolFields(account, number));
      await pause(500);
      expect(receiver.received).toHaveLength(2);
      await api.updateWebhookEndpoint({ ...second.name, is_active: true });
      await receiver.wait(3);
    });
  },
  SENDING,
);

describeOnEngines(
  "metrics about deliveries",
  (service) => {
    test("count only deliveries that wait for an active endpoint, even if their event has expired", async () => {
      await using receiver = await startWebhookReceiver();
      const { api, server } = service;
      const run = (statement: string) => sql.raw(statement).execute(server.database.kysely);
      const { account, number } = await newAccountWithNumber(api);
      const { account_token: account_id } = account;
      receiver.answer = answerWith(500);
      const create = async () =>
        (await api.createWebhookEndpoint({ account_id, url: receiver.url, types: ["pool.created"] })).webhook_endpoint
          .id;
      const [first, second] = [await create(), await create()];
      await api.createPool(createManualPoolFields(account, number));
      await api.createPool(createManualPoolFields(account, number));
      const failed = "select from webhook_deliveries where attempts > 0";
      await expect.poll(async () => (await run(failed)).rows.length).toBe(4);
      await run("update webhook_deliveries set due_at = now() + interval '1 hour' where status = 'waiting'");
      await run("update events set occurred_at = now() - interval '2 hours' where type = 'pool.created'");
      const read = (name: string) => readMetric(server.opsUrl, `calltrack_${name}`);
      expect(await read("waiting_deliveries")).toBe(4);
      expect(await read("oldest_waiting_delivery_seconds")).toBeGreaterThan(7000);

      await api.updateWebhookEndpoint({ account_id, webhook_endpoint_id: first, is_active: false });
      expect(await read("waiting_deliveries")).toBe(2);
      await run("delete from events where position = (select min(position) from webhook_deliveries)");
      expect(await read("oldest_waiting_delivery_seconds")).toBeGreaterThan(7000);
      await api.deleteWebhookEndpoint({ account_id, webhook_endpoint_id: second });
      expect(await read("waiting_deliveries")).toBe(0);
      expect(await read("oldest_waiting_delivery_seconds")).toBe(0);
      expect(await read("inactive_webhook_endpoints")).toBe(1);
    });
  },
  SENDING,
);

/** Starts a server that sends to webhook endpoints, a receiver until the test ends, and creates an account with a number. */
async function startSending() {
  const location = await createTestDatabase("postgres");
  const server = await serveDatabase(location, SENDING);
  const receiver = await startWebhookReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  const api = createJsonClient(server.url);
  const { account, number } = await newAccountWithNumber(api);
  const createPool = () => api.createPool(createManualPoolFields(account, number));
  return { location, server, receiver, api, account_id: account.account_token, createPool };
}

test("a server that stops leaves its waiting deliveries due, so that the next one sends them at once", async () => {
  const { server: first, location, receiver, api, account_id, createPool } = await startSending();
  await api.createWebhookEndpoint({ account_id, url: receiver.url, types: ["pool.created"] });
  // The receiver does not answer before the server stops, and the sender has read the whole log.
  receiver.answer = () => {};
  await createPool();
  await receiver.wait(1);
  await pause(1500);
  await first.stop();
  const second = await serveDatabase(location, SENDING);
  await receiver.wait(2);
  await second.stop();
});

test("a requested delivery is sent even if the renewal of the lease hides the request", async () => {
  const { server, receiver, api, account_id, createPool } = await startSending();
  await api.createWebhookEndpoint({ account_id, url: receiver.url, types: ["pool.created"] });
  const { id } = await createPool();
  await receiver.wait(1);
  // As if another process had requested the delivery just before a renewal, which replaces the time at which the endpoint is due. New events keep
  // the sender at work.
  const countFirst = () => receiver.received.filter(({ event }) => event.subject.endsWith(id)).length;
  const repeat = async () => {
    await sql`update webhook_deliveries set status = 'waiting', due_at = now() where status = 'delivered'
      and position = (select min(position) from webhook_deliveries)`.execute(server.database.kysely);
    await createPool();
    return countFirst();
  };
  await expect.poll(repeat, { interval: 2000 }).toBeGreaterThan(1);
  await server.stop();
});

test("an endpoint that is resumed while a request is open has one sender", async () => {
  const { server, receiver, api, account_id, createPool } = await startSending();
  const { webhook_endpoint } = await api.createWebhookEndpoint({
    ...{ account_id, url: receiver.url, types: ["pool.created"], concurrency: 1 },
  });
  const open: ServerResponse[] = [];
  receiver.answer = (response) => void open.push(response);
  await createPool();
  await createPool();
  await receiver.wait(1);
  const name = { account_id, webhook_endpoint_id: webhook_endpoint.id };
  await api.updateWebhookEndpoint({ ...name, is_active: false });
  await pause(2000);
  await api.resumeWebhookEndpoint(name);
  await pause(2000);
  expect(open).toHaveLength(1);
  open[0]?.end();
  await receiver.wait(2);
  await expect.poll(() => open.length).toBe(2);
  open[1]?.end();
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(2);
  await server.stop();
});

test("a receiver that accepts events but never ends its responses holds few connections", async () => {
  const { server, receiver, api, account_id, createPool } = await startSending();
  const concurrency = 2;
  await api.createWebhookEndpoint({ account_id, url: receiver.url, types: ["pool.created"], concurrency });
  let [open, most] = [0, 0];
  receiver.answer = (response) => {
    most = Math.max(most, ++open);
    response.once("close", () => open--);
    response.writeHead(200).write("endless");
  };
  for (let count = 0; count < 8; count++) await createPool();
  await receiver.wait(8);
  expect(most).toBeLessThanOrEqual(concurrency);
  expect(new Set(receiver.received.map(({ event }) => event.id)).size).toBe(8);
  await server.stop();
});

test("a server that starts on a long log sends new events at once, and does not read the old ones first", async () => {
  const location = await createTestDatabase("postgres");
  const first = await serveDatabase(location, { managesPools: false, allowsPrivateWebhooks: true });
  await using receiver = await startWebhookReceiver();
  const { account, number } = await newAccountWithNumber(createJsonClient(first.url));
  const { account_token: account_id } = account;
  const endpoint = { account_id, url: receiver.url, types: ["pool.created"] };
  await createJsonClient(first.url).createWebhookEndpoint(endpoint);
  await sql`
    insert into events (account_id, type) select 0, 'tracking_number.added' from generate_series(1, 300000)`.execute(
    first.database.kysely,
  );
  await first.stop();
  const server = await serveDatabase(location, { managesPools: false, ...SENDING });
  const api = createJsonClient(server.url);
  await api.createPool(createManualPoolFields(account, number));
  await receiver.wait(1);
  await server.stop();
});
