import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeBehavior, describeOnPostgres } from "../../testing/behavior.js";
import { readPages } from "../../testing/read-pages.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccountWithNumber, newPool, uniqueNumber } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";
import { findStoredPhoneSystem, listStoredPhoneSystems } from "./phone-system-repository.js";

const KEY = /^ct_[0-9a-z]{12}_[0-9A-Za-z]{49}$/;
const UNKNOWN = "01890000-0000-7000-8000-000000000000";
const DAY_MS = 86_400_000;

/** A CreatePhoneSystem request for each kind of provider. */
const PROVIDERS = [
  { kind: "twilio", account_sid: `AC${"0".repeat(32)}`, secret: "twilio-secret-000", shared_key: "twilio-shared-000" },
  { kind: "signalwire", account_sid: UNKNOWN, secret: "PSK_signalwire" },
  { kind: "telnyx", secret: Buffer.alloc(32, 7).toString("base64") },
];

describeBehavior("phone systems", (service) => {
  const newSystem = (fields: object = {}) =>
    service.api.createPhoneSystem({ name: "PBX", kind: "sip", fallback_number: uniqueNumber(), ...fields });
  const newId = async (fields: object = {}) => (await newSystem(fields)).phone_system.id;

  describe("CreatePhoneSystem", () => {
    test("returns a PBX with its API key, which nothing else shows", async () => {
      const fields = {
        ...{ name: "Büro, 2. Stock", fallback_number: "+493055501000", country_code: "49", trunk_prefix: "0" },
        ...{ allowed_prefixes: ["+49", "+43"], allowed_sip_hosts: ["PBX.example.com"], capabilities: ["whisper"] },
      };
      const { phone_system, api_key } = await newSystem(fields);
      expect(api_key).toMatch(KEY);
      expect(phone_system).toEqual({
        ...fields,
        allowed_sip_hosts: ["pbx.example.com"],
        id: expect.any(String),
        kind: "sip",
        account_sid: null,
        is_active: true,
        credentials: [{ created_at: expect.stringMatching(TIMESTAMP), expires_at: null, is_readable: true }],
        voice_url: `https://calls.example/telephony/${phone_system.id}/voice`,
        status_url: `https://calls.example/telephony/${phone_system.id}/status`,
        fallback_document: "",
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: phone_system.created_at,
      });
      expect(await service.api.getPhoneSystem({ phone_system_id: phone_system.id.toUpperCase() })).toEqual(
        phone_system,
      );
    });

    test.each(PROVIDERS)(
      "stores the secrets of $kind encrypted, and leaves them out of the audit log",
      async (fields) => {
        const { phone_system, api_key } = await newSystem(fields);
        expect(api_key).toBeNull();
        const { kind, account_sid = null } = fields;
        expect(phone_system.fallback_document).toContain(`<Number>${phone_system.fallback_number}</Number>`);
        expect(phone_system).toMatchObject({ kind, account_sid, capabilities: ["prompt", "whisper", "recording"] });
        const { kysely } = service.server.database;
        const rows = await kysely.selectFrom("phone_systems").selectAll().where("id", "=", phone_system.id).execute();
        const { entries } = await service.api.listAuditEntries({ resource_id: phone_system.id });
        expect(entries).toMatchObject([{ method: "CreatePhoneSystem", before: null, after: { account_sid, kind } }]);
        expect(entries[0]?.after).not.toHaveProperty("credentials");
        for (const secret of [fields.secret, fields.shared_key ?? fields.secret]) {
          expect(JSON.stringify([rows, entries])).not.toContain(secret);
        }
      },
    );

    test("counts the pools that start to be prompted or recorded", async () => {
      await newPool(service.api, { is_prompted: true, is_recorded: true });
      const { notices } = await newSystem();
      expect(notices).toEqual([
        expect.stringMatching(
          /^\d+ pools? with is_prompted: callers hear a prompt once the tracking numbers are connected to a phone system$/,
        ),
        expect.stringMatching(
          /^\d+ pools? with is_prompted and is_recorded: calls are recorded once the tracking numbers are connected to a phone system$/,
        ),
      ]);
    });

    test("rejects a fallback number in the inventory, unless the number is retired", async () => {
      const [phone_number, retired] = [uniqueNumber(), uniqueNumber()];
      const tracking_numbers = [phone_number, retired].map((each) => ({ phone_number: each, area_code: "1" }));
      await service.api.addTrackingNumbers({ tracking_numbers });
      await service.api.retireTrackingNumber({ phone_number: retired });
      const { number: original } = await newAccountWithNumber(service.api);
      const phone_system_id = await newId({ fallback_number: original });
      for (const call of [
        () => newSystem({ fallback_number: phone_number }),
        () => service.api.updatePhoneSystem({ phone_system_id, fallback_number: phone_number }),
      ]) {
        await expect(call()).rejects.toThrow("FAILED_PRECONDITION PHONE_NUMBER_IS_TRACKING_NUMBER");
      }
      await service.api.updatePhoneSystem({ phone_system_id, fallback_number: retired });
    });

    test("returns the same phone system and API key for a repeated request", async () => {
      const fields = { fallback_number: uniqueNumber(), request_id: randomUUID() };
      const first = await newSystem(fields);
      expect(await newSystem(fields)).toEqual(first);
      expect(await requireRefusal(newSystem({ ...fields, name: "Other" }))).toMatchObject({
        reason: "IDEMPOTENCY_KEY_REUSED",
      });
    });
  });

  test.each(["nothing", UNKNOWN])("%s is not found", async (phone_system_id) => {
    const { getPhoneSystem, updatePhoneSystem, rotatePhoneSystemCredentials, checkPhoneSystem } = service.api;
    for (const call of [getPhoneSystem, updatePhoneSystem, rotatePhoneSystemCredentials, checkPhoneSystem]) {
      expect(await requireRefusal(call({ phone_system_id }))).toMatchObject({
        status: "NOT_FOUND",
        reason: "PHONE_SYSTEM_NOT_FOUND",
        message: `phone system "${phone_system_id}" not found: check the id`,
      });
    }
  });

  test("ListPhoneSystems lists all page by page, oldest first, including disabled ones", async () => {
    const ids = [await newId(), await newId()];
    await service.api.updatePhoneSystem({ phone_system_id: ids[0], is_active: false });
    const listed = await readPages((page) => service.api.listPhoneSystems({ page_size: 1, ...page }));
    expect(listed.slice(-2).map(({ id }) => id)).toEqual(ids);
    expect((await service.api.listPhoneSystems()).entries).toEqual(listed);
  });

  describe("UpdatePhoneSystem", () => {
    test("changes the given fields and keeps the others", async () => {
      const { phone_system } = await newSystem({ country_code: "49", trunk_prefix: "0", allowed_prefixes: ["+49"] });
      const phone_system_id = phone_system.id;
      const changed = await service.api.updatePhoneSystem({ phone_system_id, name: "Other", is_active: false });
      expect(changed).toEqual({ ...phone_system, name: "Other", is_active: false, updated_at: changed.updated_at });
      const emptied = await service.api.updatePhoneSystem({
        ...{ phone_system_id, country_code: "", trunk_prefix: "" },
        ...{ allowed_prefixes: { prefixes: [] }, capabilities: { capabilities: ["prompt"] } },
        allowed_sip_hosts: { hosts: ["b.example", "A.example"] },
      });
      expect(emptied).toMatchObject({
        ...{ name: "Other", country_code: null, trunk_prefix: null, allowed_prefixes: [], capabilities: ["prompt"] },
        allowed_sip_hosts: ["b.example", "a.example"],
      });
      const { entries } = await service.api.listAuditEntries({ resource_id: phone_system_id });
      expect(entries.map(({ method }) => method)).toEqual([
        ...["UpdatePhoneSystem", "UpdatePhoneSystem", "CreatePhoneSystem"],
      ]);
      expect(entries[0]).toMatchObject({ before: { country_code: "49" }, after: { country_code: null } });
    });

    test("updates only if the etag matches", async () => {
      const phone_system_id = await newId();
      const etag = await service.api.etagFrom("getPhoneSystem", { phone_system_id });
      await service.api.updatePhoneSystem({ phone_system_id, etag, is_active: false });
      const refused = service.api.updatePhoneSystem({ phone_system_id, etag, is_active: true });
      expect(await requireRefusal(refused)).toMatchObject({ reason: "ETAG_MISMATCH" });
      expect(await service.api.getPhoneSystem({ phone_system_id })).toMatchObject({ is_active: false });
    });

    test("keeps all concurrent updates", async () => {
      const phone_system_id = await newId();
      await Promise.all([
        service.api.updatePhoneSystem({ phone_system_id, name: "Renamed" }),
        service.api.updatePhoneSystem({ phone_system_id, is_active: false }),
        service.api.updatePhoneSystem({ phone_system_id, allowed_prefixes: { prefixes: ["+1"] } }),
        service.api.updatePhoneSystem({ phone_system_id, allowed_sip_hosts: { hosts: ["pbx"] } }),
      ]);
      expect(await service.api.getPhoneSystem({ phone_system_id })).toMatchObject({
        ...{ name: "Renamed", is_active: false, allowed_prefixes: ["+1"], allowed_sip_hosts: ["pbx"] },
      });
    });
  });

  test("rejects what the kind or the state of a phone system forbids", async () => {
    const [sip, telnyx] = [await newId({ country_code: "49", trunk_prefix: "0" }), await newId(PROVIDERS[2])];
    const { createPhoneSystem, updatePhoneSystem, rotatePhoneSystemCredentials } = service.api;
    const refused = [
      [
        () =>
          createPhoneSystem({ kind: "twilio", allowed_prefixes: ["49"], capabilities: ["prompt"], trunk_prefix: "0" }),
      ],
      [() => updatePhoneSystem({ phone_system_id: sip, country_code: "" }), "country_code"],
      [() => updatePhoneSystem({ phone_system_id: telnyx, trunk_prefix: "0" }), "trunk_prefix"],
      [() => updatePhoneSystem({ phone_system_id: telnyx, capabilities: { capabilities: [] } }), "capabilities"],
      [() => rotatePhoneSystemCredentials({ phone_system_id: sip, secret: "mine" }), "secret"],
      [() => rotatePhoneSystemCredentials({ phone_system_id: telnyx }), "secret"],
      [() => rotatePhoneSystemCredentials({ phone_system_id: sip, overlap_seconds: 604_801 }), "overlap_seconds"],
    ] as const;
    for (const [call, ...fields] of refused) {
      expect(await requireRefusedFields(call())).toEqual(
        fields.length > 0
          ? fields
          : [
              ...["account_sid", "allowed_prefixes[0]", "capabilities", "fallback_number", "name", "secret"],
              "trunk_prefix",
            ],
      );
    }
  });

  describe("RotatePhoneSystemCredentials", () => {
    const lifetimesOf = (credentials: readonly { created_at: string; expires_at: string | null }[]) => {
      const end = Date.parse(credentials.at(-1)?.created_at ?? "");
      return credentials.map(({ expires_at }) => expires_at && Date.parse(expires_at) - end);
    };

    test("adds a credential, and lets earlier ones expire after the overlap", async () => {
      const { phone_system, api_key } = await newSystem();
      const phone_system_id = phone_system.id;
      const first = await service.api.rotatePhoneSystemCredentials({ phone_system_id });
      expect(first.api_key).toMatch(KEY);
      expect(first.api_key).not.toBe(api_key);
      expect(lifetimesOf(first.phone_system.credentials)).toEqual([DAY_MS, null]);
      const second = await service.api.rotatePhoneSystemCredentials({ phone_system_id, overlap_seconds: 60 });
      expect(lifetimesOf(second.phone_system.credentials)).toEqual([60_000, 60_000, null]);
      // A longer overlap does not extend an earlier overlap.
      const third = await service.api.rotatePhoneSystemCredentials({ phone_system_id, overlap_seconds: 604_800 });
      expect(third.phone_system.credentials.map(({ expires_at }) => expires_at)).toEqual([
        ...second.phone_system.credentials.slice(0, 2).map(({ expires_at }) => expires_at),
        ...[expect.stringMatching(TIMESTAMP), null],
      ]);
      const last = await service.api.rotatePhoneSystemCredentials({ phone_system_id, overlap_seconds: 0 });
      expect(last.phone_system.credentials).toHaveLength(1);
    });

    test("keeps the credential of each of concurrent rotations, up to 10", async () => {
      const phone_system_id = await newId();
      const rotate = () => service.api.rotatePhoneSystemCredentials({ phone_system_id });
      const keys = await Promise.all([rotate(), rotate(), rotate()]);
      expect(new Set(keys.map(({ api_key }) => api_key)).size).toBe(3);
      const { credentials } = await service.api.getPhoneSystem({ phone_system_id });
      expect(credentials.map(({ expires_at }) => expires_at === null)).toEqual([false, false, false, true]);
      for (let count = 0; count < 8; count++) await rotate();
      expect((await service.api.getPhoneSystem({ phone_system_id })).credentials).toHaveLength(10);
    });

    test("returns the same API key for a repeated request", async () => {
      const phone_system_id = await newId();
      const request = { phone_system_id, request_id: randomUUID() };
      const first = await service.api.rotatePhoneSystemCredentials(request);
      expect(await service.api.rotatePhoneSystemCredentials(request)).toEqual(first);
      expect((await service.api.getPhoneSystem({ phone_system_id })).credentials).toHaveLength(2);
    });
  });

  describe("a stored phone system", () => {
    const find = (id: string) => findStoredPhoneSystem(service.server.database.db, id);

    test("may dial the country codes of its numbers and its fallback number, unless it has prefixes", async () => {
      const phone_system_id = await newId({ fallback_number: `+4930${String(Math.random()).slice(2, 10)}` });
      expect((await find(phone_system_id))?.allowedPrefixes).toEqual(["+49"]);
      const numbers = ["+1222", "+1999", "+35312", "+2125", "+2125"].map((start) => start + uniqueNumber().slice(-8));
      await service.api.addTrackingNumbers({
        tracking_numbers: numbers.map((phone_number) => ({ phone_number, area_code: "1", phone_system_id })),
      });
      expect((await find(phone_system_id))?.allowedPrefixes).toEqual(["+49", "+1", "+212", "+353"]);
      await service.api.updatePhoneSystem({ phone_system_id, allowed_prefixes: { prefixes: ["+12225"] } });
      expect(await find(phone_system_id)).toMatchObject({ allowedPrefixes: ["+12225"], ownCountries: undefined });
    });

    test("has the countries of its numbers and its fallback number", async () => {
      const digits = String(Math.random()).slice(2, 7);
      const phone_system_id = await newId({ fallback_number: `+121255${digits}` });
      expect((await find(phone_system_id))?.ownCountries).toEqual(["US"]);
      // The first two numbers share their first 6 digits, but belong to different countries.
      const starts = ["+4474573", "+4474576", "+7495", "+7727", "+18762", "+14162", "+1415"];
      const numbers = starts.map(
        (start) => start + (digits + digits).slice(0, 13 - start.length - (/^\+[17]/.test(start) ? 1 : 0)),
      );
      await service.api.addTrackingNumbers({
        tracking_numbers: numbers.map((phone_number) => ({ phone_number, area_code: "1", phone_system_id })),
      });
      const countries = (await find(phone_system_id))?.ownCountries ?? [];
      expect([...countries].sort()).toEqual(["CA", "GB", "IM", "JM", "KZ", "RU", "US"]);
    });

    test("is found by its id, and is in the list of all", async () => {
      const id = await newId();
      const { db } = service.server.database;
      expect((await listStoredPhoneSystems(db)).find((each) => each.id === id)).toEqual(await find(id));
      expect(await find(UNKNOWN)).toBeUndefined();
      expect(await find("nothing")).toBeUndefined();
    });
  });
});

describeOnPostgres(
  "a server without SECRETS_KEY",
  (service) => {
    test("reads phone systems, but stores no credentials", async () => {
      const { json } = service.clients;
      const fields = { name: "PBX", kind: "sip", fallback_number: uniqueNumber() };
      expect(await requireRefusal(json.createPhoneSystem(fields))).toMatchObject({
        status: "FAILED_PRECONDITION",
        reason: "SECRETS_KEY_MISSING",
        message: expect.stringContaining("openssl rand -base64 32"),
      });
      await service.server.database.kysely
        .insertInto("phone_systems")
        .values({
          ...fields,
          kind: "sip",
          capabilities: [],
          ...{ allowed_prefixes: [], allowed_sip_hosts: [] },
          credentials: '[{"secret":"v1.0.0","createdAt":"2026-11-20T00:00:00.000Z"}]',
        })
        .execute();
      const [listed] = (await json.listPhoneSystems()).entries;
      expect(listed).toMatchObject({ voice_url: "", status_url: "", credentials: [{ is_readable: false }] });
      const rotation = json.rotatePhoneSystemCredentials({ phone_system_id: listed?.id });
      expect(await requireRefusal(rotation)).toMatchObject({ reason: "SECRETS_KEY_MISSING" });
      await json.updatePhoneSystem({ phone_system_id: listed?.id, is_active: false });
    });
  },
  { secretKeys: undefined, publicUrl: undefined },
);
