import { expect, test } from "vitest";
import type { ApiClient, MethodName, RequestFields } from "../testing/api-client.js";
import { describeBehavior, describeOnEngines } from "../testing/behavior.js";
import { describeJsonPaths } from "../testing/describe-json-paths.js";
import { requireRefusal } from "../testing/refusal.js";
import { getPoolKeyFields, newAccount, newPool, uniqueToken } from "../testing/request-fields.js";
import { newTrackedPool } from "../testing/tracked-pool.js";

const ETAG = /^"\d{13}"$/;

/** The error does not advise clients to read the resource again: through a proxy that weakens etags, the client would get the same weak etag. */
const WEAK = {
  status: "ABORTED",
  reason: "ETAG_MISMATCH",
  message: "a weak etag (W/…) never matches: if a proxy added W/, send the etag without it",
};

const EXCLUDED = {
  status: "ABORTED",
  reason: "ETAG_MISMATCH",
  message:
    "if_none_match (If-None-Match header) excludes the current etag of the resource: leave it out to update the resource",
};

const MISMATCH = { status: "ABORTED", reason: "ETAG_MISMATCH", message: expect.stringContaining("read it again") };

/** A resource with its read and update methods. */
interface Updatable {
  readonly read: MethodName;
  readonly update: MethodName;
  readonly name: RequestFields;
  readonly change: RequestFields;
}

describeBehavior("etags", (service) => {
  async function etagOf({ read, name }: Pick<Updatable, "read" | "name">): Promise<string> {
    const etag = await service.api.etagFrom(read, name);
    expect(etag).toMatch(ETAG);
    return etag;
  }

  async function listUpdatables(): Promise<readonly Updatable[]> {
    const { account, pool } = await newPool(service.api);
    const tracked = await newTrackedPool(service, { numbers: 2, size: 2, pool_type: "manual" });
    const [tracker] = await tracked.pass();
    const name = { ...tracked.name, call_tracker_id: tracker?.id };
    const { id, account_token } = await service.api.createCall({
      ...{ call_id: uniqueToken("call"), tracking_number: tracker?.tracking_number },
    });
    const call = { read: "getCall", update: "updateCall", name: { account_id: account_token, id } } as const;
    return [
      { ...call, change: { recording_url: "https://recordings.example/1.mp3" } },
      { read: "getAccount", update: "updateAccount", name: { id: account.id }, change: { is_active: false } },
      { read: "getAccount", update: "updateAccount", name: { id: account.id }, change: { is_active: true } },
      { read: "getPool", update: "updatePool", name: getPoolKeyFields(account, pool), change: { size: 7 } },
      { read: "getPool", update: "updatePool", name: getPoolKeyFields(account, pool), change: {} },
      {
        read: "getCallFlow",
        update: "updateCallFlow",
        name: getPoolKeyFields(account, pool),
        change: { settings: {} },
      },
      {
        ...{ read: "getDefaultCallFlow", update: "updateDefaultCallFlow" },
        ...{ name: { account_id: account.id }, change: { settings: { ring_seconds: 9 } } },
      },
      {
        ...{ read: "getSourceAliases", update: "updateSourceAliases" },
        ...{ name: { account_id: account.id }, change: { aliases: [{ name: "gmb", source: "google" }] } },
      },
      { read: "getCallTracker", update: "updateCallTracker", name, change: { description: "a leaflet" } },
      { read: "getCallTracker", update: "flagCallTracker", name, change: {} },
    ];
  }

  test("an update requires the given etag, and returns the new one", async () => {
    for (const { read, update, name, change } of await listUpdatables()) {
      const etag = await etagOf({ read, name });
      const call = service.api[update] as ApiClient["updatePool"];
      for (const wrong of ['"1"', '"1", "2"', '"99999999999999999"']) {
        expect(await requireRefusal(call({ ...name, ...change, etag: wrong })), `${update} ${wrong}`).toMatchObject(
          MISMATCH,
        );
      }
      expect(await requireRefusal(call({ ...name, ...change, etag: `W/${etag}` }))).toMatchObject(WEAK);
      for (const wrong of ["*", etag, `W/${etag}`, `"1", ${etag}`]) {
        expect(await requireRefusal(call({ ...name, ...change, if_none_match: wrong }))).toMatchObject(EXCLUDED);
      }
      expect(await requireRefusal(call({ ...name, ...change, etag, if_none_match: etag }))).toMatchObject(EXCLUDED);
      const malformed = ["", etag.replaceAll('"', ""), `${etag}, 1`, `${etag} ${etag}`, `*, ${etag}`, "bogus"];
      for (const text of malformed) {
        for (const field of ["etag", "if_none_match"]) {
          expect(
            await requireRefusal(call({ ...name, ...change, [field]: text })),
            `${update} ${field} ${text}`,
          ).toMatchObject({
            ...{ status: "INVALID_ARGUMENT", reason: "FIELD_INVALID" },
            message: expect.stringContaining(`${field} must be * or a list of etags in double quotes`),
          });
        }
      }
      expect(await etagOf({ read, name })).toBe(etag);

      const isEmpty = update === "updatePool" && Object.keys(change).length === 0;
      const changed = await service.api.etagFrom(update, { ...name, ...change, etag, if_none_match: '"1"' });
      expect(changed).toMatch(ETAG);
      expect(changed === etag).toBe(isEmpty);
      expect(await etagOf({ read, name })).toBe(changed);
      await call({ ...name, ...change, etag: `"1", ${changed}` });
      await call({ ...name, ...change, etag: "*" });
    }
  });

  test("a condition does not hide that the resource is missing or cannot be updated", async () => {
    const { account, pool } = await newPool(service.api);
    const etag = '"1"';
    expect(await requireRefusal(service.api.updateAccount({ id: 2_000_000_000, is_active: true, etag }))).toMatchObject(
      {
        reason: "ACCOUNT_NOT_FOUND",
      },
    );
    const nowhere = { account_id: account.account_token, pool_id: account.account_token, size: 1, etag };
    expect(await requireRefusal(service.api.updatePool(nowhere))).toMatchObject({ reason: "POOL_NOT_FOUND" });
    expect(
      await requireRefusal(service.api.updatePool({ ...getPoolKeyFields(account, pool), size: 0, etag })),
    ).toMatchObject({
      reason: "FIELD_INVALID",
    });
    expect(
      await requireRefusal(service.api.updatePool({ ...getPoolKeyFields(account, pool), size: 0, etag: "1" })),
    ).toMatchObject({
      message: expect.stringMatching(/etag must be .*size must be /s),
    });
    const tracked = await newTrackedPool(service, { numbers: 1, size: 1, pool_type: "manual" });
    const [tracker] = await tracked.pass();
    const available = { ...tracked.name, call_tracker_id: tracker?.id, etag };
    expect(await requireRefusal(service.api.flagCallTracker(available))).toMatchObject({
      reason: "CALL_TRACKER_NOT_ACTIVE",
    });
  });

  test("every single resource has an etag, even right after its creation", async () => {
    const { account, pool } = await newPool(service.api);
    const { entries } = await service.api.listPhoneNumbers({ account_id: account.account_token });
    const number = { account_id: account.account_token, phone_number_id: entries[0]?.id };
    await etagOf({ read: "getPhoneNumber", name: number });
    const name = getPoolKeyFields(account, pool);
    const created = { ...name, original_number: entries[0]?.phone_number, area_code: "1", is_dni: true };
    const fields = {
      ...created,
      is_prompted: true,
      is_recorded: true,
      pool_type: "manual",
      size: 1,
      pool_id: undefined,
    };
    expect(await service.api.etagFrom("createPool", fields)).toMatch(ETAG);
    const { api_key } = await service.api.createApiKey({ scopes: ["read"] });
    const before = await service.api.etagFrom("getApiKey", { api_key_id: api_key.id });
    expect(before).toBe('"0-0"');
    await service.api.revokeApiKey({ api_key_id: api_key.id });
    expect(await service.api.etagFrom("getApiKey", { api_key_id: api_key.id })).toMatch(/^"0-\d{13}"$/);
  });
});

describeOnEngines("concurrent updates", (service) => {
  test("exactly one of many updates with the same etag succeeds, over any protocol", async () => {
    const { account, pool } = await newPool(service.clients.json);
    const name = getPoolKeyFields(account, pool);
    for (const round of [1, 2, 3]) {
      const etag = await service.clients.json.etagFrom("getPool", name);
      const updates = Array.from({ length: 10 }, (_, index) => {
        const api = Object.values(service.clients)[index % 2] as ApiClient;
        return api.updatePool({ ...name, size: 100 * round + index, etag });
      });
      const settled = await Promise.allSettled(updates);
      const [won, ...others] = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(others).toEqual([]);
      expect(await service.clients.json.getPool(name)).toEqual(won);
      for (const { reason } of settled.filter((each) => each.status === "rejected")) {
        expect(reason.refusal).toMatchObject(MISMATCH);
      }
    }
  });
});

describeJsonPaths("conditional requests", (surface) => {
  test("GET and HEAD return 304 if the etag is unchanged, and 412 if another is required", async () => {
    const { id } = await newAccount(surface.api);
    const target = `/call_tracking/accounts/${id}`;
    const { etag = "" } = (await surface.send({ target })).headers;
    for (const method of ["GET", "HEAD"]) {
      const unchanged = await surface.send({ method, target, headers: { "if-none-match": etag } });
      expect(unchanged).toMatchObject({ status: 304, text: "", headers: { etag } });
      expect(unchanged.headers).not.toHaveProperty("content-length");
    }
    expect(await surface.refuse(412, { target, headers: { "if-match": '"1"' } })).toMatchObject({
      reason: "ETAG_MISMATCH",
    });
    expect(await surface.refuse(412, { target, headers: { "if-match": `W/${etag}` } })).toMatchObject({
      message: expect.stringContaining("read the resource again without If-Match"),
    });
    expect(await surface.send({ target, headers: { "if-none-match": `W/${etag}` } })).toMatchObject({ status: 304 });
    expect(await surface.send({ target, headers: { "if-match": etag, "if-none-match": '"1"' } })).toMatchObject({
      status: 200,
    });
  });

  test("an update with an outdated etag returns 412, and a successful one the new etag", async () => {
    const { id } = await newAccount(surface.api);
    const target = `/call_tracking/accounts/${id}`;
    const { etag = "" } = (await surface.send({ target })).headers;
    const put = (headers: Record<string, string>) => ({
      method: "PUT",
      target,
      headers: { "content-type": "application/json", ...headers },
      body: '{"is_active": false}',
    });
    expect(await surface.refuse(412, put({ "if-match": `W/${etag}` }))).toMatchObject(WEAK);
    const updated = await surface.send(put({ "if-match": `W/"1", ${etag}` }));
    expect(updated).toMatchObject({ status: 204, text: "", headers: { etag: expect.stringMatching(ETAG) } });
    expect(updated.headers.etag).not.toBe(etag);
    expect(await surface.refuse(412, put({ "if-match": etag }))).toMatchObject({
      status: "ABORTED",
      reason: "ETAG_MISMATCH",
    });
    for (const excluded of ["*", String(updated.headers.etag)]) {
      expect(await surface.refuse(412, put({ "if-none-match": excluded }))).toMatchObject(EXCLUDED);
    }
    const inBody = { ...put({}), body: '{"is_active": false, "etag": "1"}' };
    expect(await surface.refuse(400, inBody)).toMatchObject({ message: expect.stringContaining("If-Match") });
  });
});
