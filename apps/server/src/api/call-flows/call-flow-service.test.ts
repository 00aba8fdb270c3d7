import { expect, test } from "vitest";
import { describeBehavior, describeOnEngines } from "../../testing/behavior.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { getPoolKeyFields, newAccount, newPool, uniqueNumber } from "../../testing/request-fields.js";
import { isLaterTimestamp } from "../../testing/timestamp.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";

const DEFAULTS = { prompt: "on", ring_seconds: 20, caller_id: "caller", recording: "dual", max_minutes: 240 };

const HOURS = {
  time_zone: "Europe/Berlin",
  periods: [{ days: ["WEEKDAY_MONDAY", "WEEKDAY_SUNDAY"], opens: "22:00", closes: "06:00" }],
};

describeBehavior("call flows", (service) => {
  test("exist before they are set, with the defaults", async () => {
    const { account, pool } = await newPool(service.api);
    const { account_token } = account;
    const flow = await service.api.getCallFlow(getPoolKeyFields(account, pool));
    expect(flow).toMatchObject({ account_token, pool_id: pool.id, effective: DEFAULTS, updated_at: null });
    expect(flow.settings).toMatchObject({
      prompt: null,
      ring_seconds: null,
      hours: null,
      closed_dates: [],
      special_days: [],
    });
    const ofAccount = await service.api.getDefaultCallFlow({ account_id: account.id });
    expect(ofAccount).toMatchObject({ account_token, pool_id: null, effective: DEFAULTS, updated_at: null });
    expect(ofAccount.settings).toEqual(flow.settings);
  });

  test("are replaced as a whole, and return what was sent", async () => {
    const { account, pool } = await newPool(service.api);
    const name = getPoolKeyFields(account, pool);
    const settings = {
      prompt: "PROMPT_MODE_OFF",
      prompt_text: "Grüezi 📞 <&>",
      language: "de-CH",
      whisper_url: "https://sounds.example/whisper.mp3",
      accept_digit: "5",
      ring_seconds: 5,
      hours: HOURS,
      closed_dates: ["2026-12-25", "2028-02-29"],
      special_days: [
        { date: "2026-12-24", periods: [{ opens: "09:00", closes: "13:00" }] },
        { date: "2026-12-26", periods: [] },
      ],
      closed_text: "Closed",
      fallback_number: uniqueNumber(),
      caller_id: "tracking_number",
      recording: "RECORDING_MODE_MONO",
      max_minutes: 1,
      ...{ steps: [], closed_steps: [] },
    };
    const shown = {
      ...settings,
      ...{ prompt: "off", recording: "mono", prompt_url: null, whisper_text: null, closed_url: null },
      hours: { ...HOURS, periods: [{ days: ["monday", "sunday"], opens: "22:00", closes: "06:00" }] },
    };
    const updated = await service.api.updateCallFlow({ ...name, settings });
    expect(updated.settings).toEqual(shown);
    expect(updated.effective).toEqual(shown);
    expect(await service.api.getCallFlow(name)).toEqual(updated);
    const again = await service.api.updateCallFlow({ ...name, settings: { ring_seconds: 6 } });
    expect(again.effective).toMatchObject({ ...DEFAULTS, ring_seconds: 6, whisper_url: null, hours: null });
    expect(isLaterTimestamp(again.updated_at ?? "", updated.updated_at ?? "")).toBe(true);
    expect((await service.api.updateCallFlow({ ...name, settings: {} })).effective).toMatchObject(DEFAULTS);
  });

  test("have steps instead of a fallback number", async () => {
    const { account, pool } = await newPool(service.api);
    const [ofAccount, ofPool] = [{ account_id: account.account_token }, getPoolKeyFields(account, pool)];
    const [sales, mobile] = [uniqueNumber(), uniqueNumber()];
    await service.api.updateDefaultCallFlow({ ...ofAccount, settings: { fallback_number: mobile } });
    const steps = [
      { targets: [{ original: true }, { phone_number: sales }], order: "TARGET_ORDER_AT_ONCE" },
      {
        targets: [
          { original: true, weight: 70 },
          { phone_number: sales, weight: 30 },
        ],
        ...{ order: "TARGET_ORDER_SHARED", ring_seconds: 30 },
      },
    ];
    const settings = { steps, closed_steps: [{ targets: [{ phone_number: mobile }] }] };
    const { effective } = await service.api.updateCallFlow({ ...ofPool, settings });
    expect(effective).toMatchObject({
      fallback_number: null,
      steps: [
        { targets: [{ original: true, phone_number: null, weight: null }, { phone_number: sales }], order: "at_once" },
        { targets: [{ weight: 70 }, { weight: 30 }], order: "shared", ring_seconds: 30 },
      ],
      closed_steps: [{ targets: [{ phone_number: mobile }], order: null, ring_seconds: null }],
    });
    const both = { steps, fallback_number: mobile };
    expect(await requireRefusedFields(service.api.updateCallFlow({ ...ofPool, settings: both }))).toEqual([
      "settings.fallback_number",
    ]);
    expect((await service.api.getCallFlow(ofPool)).effective).toEqual(effective);
  });

  test("of a pool take precedence over the account's default, and replace a text with a file", async () => {
    const { account, pool } = await newPool(service.api);
    const ofAccount = { account_id: account.account_token };
    await service.api.updateDefaultCallFlow({
      ...ofAccount,
      settings: { ring_seconds: 30, max_minutes: 9, prompt_text: "Hello", closed_dates: ["2026-12-25"] },
    });
    const settings = { ring_seconds: 40, prompt_url: "https://sounds.example/hello.mp3" };
    const { effective } = await service.api.updateCallFlow({ ...getPoolKeyFields(account, pool), settings });
    expect(effective).toMatchObject({ ...settings, prompt_text: null, max_minutes: 9, closed_dates: ["2026-12-25"] });
    expect((await service.api.getDefaultCallFlow(ofAccount)).effective).toMatchObject({ ring_seconds: 30 });
  });

  test("can be set to the settings in a response, including the nulls in JSON", async () => {
    const { account, pool } = await newPool(service.api);
    const name = getPoolKeyFields(account, pool);
    const { settings } = await service.api.updateCallFlow({ ...name, settings: { ring_seconds: 7 } });
    expect((await service.api.updateCallFlow({ ...name, settings })).settings).toEqual(settings);
  });

  test("work on a disabled account, and by the account's id and a pool id in upper case", async () => {
    const { account, pool } = await newPool(service.api);
    await service.api.updateAccount({ id: account.id, is_active: false });
    const name = { account_id: String(account.id), pool_id: pool.id.toUpperCase() };
    const updated = await service.api.updateCallFlow({ ...name, settings: { ring_seconds: 9 } });
    expect(updated).toMatchObject({ pool_id: pool.id, effective: { ring_seconds: 9 } });
  });

  test("are found only for pools of the account", async () => {
    const { account, pool } = await newPool(service.api);
    const other = await newAccount(service.api);
    const settings = { ring_seconds: 9 };
    for (const pool_id of ["00000000-0000-0000-0000-000000000000", "no-uuid", pool.id]) {
      const name = { account_id: other.account_token, pool_id };
      expect(await requireRefusal(service.api.getCallFlow(name))).toMatchObject({ reason: "POOL_NOT_FOUND" });
      await expect(service.api.updateCallFlow({ ...name, settings })).rejects.toThrow("NOT_FOUND POOL_NOT_FOUND");
    }
    const unknown = { account_id: "nobody", pool_id: pool.id };
    expect(await requireRefusal(service.api.getCallFlow(unknown))).toMatchObject({ reason: "ACCOUNT_NOT_FOUND" });
    expect((await service.api.getCallFlow(getPoolKeyFields(account, pool))).updated_at).toBeNull();
  });

  test("report all violations with their paths", async () => {
    const { account, pool } = await newPool(service.api);
    const settings = { ring_seconds: 4, fallback_number: "12", hours: { periods: [{ opens: "25:00" }] } };
    const refusals = await Promise.all([
      requireRefusal(service.api.updateCallFlow({ ...getPoolKeyFields(account, pool), settings })),
      requireRefusal(service.api.updateDefaultCallFlow({ account_id: account.id, settings })),
    ]);
    for (const { reason, violations } of refusals) {
      expect(reason).toBe("FIELD_INVALID");
      expect(violations.map(({ field }) => field)).toEqual(
        expect.arrayContaining([
          "settings.ring_seconds",
          "settings.fallback_number",
          "settings.hours.time_zone",
          "settings.hours.periods[0].opens",
        ]),
      );
    }
    const missing = await requireRefusal(service.api.updateCallFlow(getPoolKeyFields(account, pool)));
    expect(missing.violations).toEqual([{ field: "settings", description: "is required" }]);
  });

  test.each(["json", "grpc"] as const)(
    "reject a placeholder that has no effect, for pool and account: %s",
    async (name) => {
      const api = service.clients[name];
      const { account, pool } = await newPool(api);
      const settings = { whisper_text: "Call from {caller}" };
      const description = "must not contain braces, except in the placeholder {source}";
      const refused = { reason: "FIELD_INVALID", violations: [{ field: "settings.whisper_text", description }] };
      const ofPool = api.updateCallFlow({ ...getPoolKeyFields(account, pool), settings });
      expect(await requireRefusal(ofPool)).toMatchObject(refused);
      const ofAccount = api.updateDefaultCallFlow({ account_id: account.account_token, settings });
      expect(await requireRefusal(ofAccount)).toMatchObject(refused);
    },
  );

  test("reject the business's own number as their fallback", async () => {
    const { account, pool, number } = await newPool(service.api);
    const update = service.api.updateCallFlow({
      ...getPoolKeyFields(account, pool),
      settings: { fallback_number: number },
    });
    expect((await requireRefusal(update)).violations).toMatchObject([{ field: "settings.fallback_number" }]);
  });

  test("reject a tracking number as their fallback", async () => {
    const { account, name, addNumbers } = await newTrackedPool(service, { numbers: 0 });
    const [fallback_number] = await addNumbers(1);
    const settings = { fallback_number };
    const refused = {
      status: "FAILED_PRECONDITION",
      reason: "PHONE_NUMBER_IS_TRACKING_NUMBER",
      message: expect.stringContaining(String(fallback_number)),
    };
    const { account_token: account_id } = account;
    expect(await requireRefusal(service.api.updateCallFlow({ ...name, settings }))).toMatchObject(refused);
    expect(await requireRefusal(service.api.updateDefaultCallFlow({ account_id, settings }))).toMatchObject(refused);
    const later = uniqueNumber();
    await service.api.updateCallFlow({ ...name, settings: { fallback_number: later } });
    await service.api.addTrackingNumbers({ tracking_numbers: [{ phone_number: later, area_code: "1" }] });
    const { warnings } = await service.api.getCallFlow(name);
    expect(warnings).toContainEqual(expect.stringContaining(`fallback_number ${later}`));
  });
});

describeOnEngines("concurrent updates of a call flow that was never set", (service) => {
  test.each(["a pool", "an account"])("with its etag: one succeeds for %s", async (owner) => {
    const api = service.clients.grpc;
    const { account, pool } = await newPool(api);
    const { account_token: account_id } = account;
    const [read, update, name] =
      owner === "a pool"
        ? (["getCallFlow", "updateCallFlow", getPoolKeyFields(account, pool)] as const)
        : (["getDefaultCallFlow", "updateDefaultCallFlow", { account_id }] as const);
    const etag = await api.etagFrom(read, name);
    const updates = Array.from({ length: 8 }, (_, n) =>
      api[update]({ ...name, etag, settings: { ring_seconds: 9 + n } }),
    );
    const outcomes = await Promise.allSettled(updates);
    const [won, ...others] = outcomes.filter(({ status }) => status === "fulfilled");
    expect(others).toEqual([]);
    expect(await api[read](name)).toEqual((won as PromiseFulfilledResult<unknown>).value);
  });

  test("without a condition: all succeed, and the audit log has their sequence", async () => {
    const api = service.clients.grpc;
    const { account, pool } = await newPool(api);
    const name = getPoolKeyFields(account, pool);
    await Promise.all(
      Array.from({ length: 8 }, (_, n) => api.updateCallFlow({ ...name, settings: { ring_seconds: 9 + n } })),
    );
    const { entries } = await api.listAuditEntries({ account_id: account.account_token, resource_id: pool.id });
    const changes = entries.toReversed().filter(({ resource_type }) => resource_type === "call_flow");
    expect(changes).toHaveLength(8);
    expect(changes[0]?.before).toEqual({ settings: {}, updated_at: pool.created_at });
    for (const [index, { before }] of changes.entries()) {
      if (index > 0) expect(before).toEqual(changes[index - 1]?.after);
    }
    const { updated_at, settings } = await api.getCallFlow(name);
    const { ring_seconds } = settings as { readonly ring_seconds: number };
    expect(changes.at(-1)?.after).toEqual({ settings: { ring_seconds }, updated_at });
  });
});
