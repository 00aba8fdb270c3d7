import { expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusedFields } from "../../testing/refusal.js";
import { createManualPoolFields, uniqueNumber } from "../../testing/request-fields.js";
import {
  addNumbers as addToInventory,
  makePoolDue,
  newTrackedPool,
  uniqueAreaCode,
} from "../../testing/tracked-pool.js";
import { findTrackingNumbersAmong } from "../calls/tracked-number.js";
import { listCallRoutes } from "./call-route.js";
import { explainCall } from "./explain-call.js";

const UNKNOWN = "01890000-0000-7000-8000-000000000000";

/** Open on Mondays from 9 to 18 in Berlin. */
const HOURS = {
  time_zone: "Europe/Berlin",
  periods: [{ days: ["WEEKDAY_MONDAY"], opens: "09:00", closes: "18:00" }],
};

const MONDAY_AT_NOON = "2026-11-23T11:00:00.000Z";
const SUNDAY_AT_NOON = "2026-11-22T11:00:00.000Z";

describeBehavior("ExplainCall", (service) => {
  /** Creates a pool with two numbers, and returns the pool with its first number. */
  async function newCalledPool(fields: object = {}) {
    const flags = { is_prompted: true, is_recorded: true };
    const tracked = await newTrackedPool(service, { pool_type: "manual", numbers: 2, size: 2, ...flags, ...fields });
    const number = tracked.trackers[0]?.tracking_number ?? "";
    const connect = (phone_system_id: string) =>
      service.api.addTrackingNumbers({
        tracking_numbers: [{ phone_number: number, area_code: tracked.areaCode, phone_system_id }],
      });
    return { ...tracked, number, connect };
  }

  async function newPbx(fields: object = {}) {
    const pbx = { name: "PBX", kind: "sip", fallback_number: uniqueNumber(), allowed_prefixes: ["+1"], ...fields };
    return (await service.api.createPhoneSystem(pbx)).phone_system.id;
  }

  /** Explains a call, each step as `STEP: DESCRIPTION`; a step that is left out as `no STEP: REASON`. */
  async function explain(tracking_number: string, fields: object = {}) {
    const { steps } = await service.api.explainCall({ tracking_number, ...fields });
    return steps.map(({ step, is_done, description }) => `${is_done ? "" : "no "}${step}: ${description}`);
  }

  test("lists the steps in their order, even without a phone system", async () => {
    const { account, pool, number, originalNumber } = await newCalledPool();
    const explained = await service.api.explainCall({ tracking_number: number });
    expect(explained).toMatchObject({
      ...{ tracking_number: number, account_token: account.account_token, pool_id: pool.id },
      ...{ phone_system_id: null, source: null, is_prompted: true, is_recorded: true },
    });
    expect(await explain(number)).toEqual([
      expect.stringMatching(/^no closed: /),
      expect.stringMatching(/^prompt: the caller hears ".+"$/),
      "record: the call is recorded (dual)",
      expect.stringContaining(`dial: rings ${originalNumber} for 20 seconds, showing the caller's number`),
      "no whisper: neither a whisper nor accept_digit is set",
      "no fallback: no fallback number is set",
    ]);
  });

  test("gives the pool's settings precedence over those of the account", async () => {
    const { account, name, number } = await newCalledPool();
    const [account_id, fallback_number] = [account.account_token, uniqueNumber()];
    await service.api.updateDefaultCallFlow({ account_id, settings: { ring_seconds: 30, fallback_number } });
    await service.api.updateCallFlow({ ...name, settings: { prompt: "PROMPT_MODE_OFF", ring_seconds: 40 } });
    expect(await explain(number)).toEqual([
      expect.stringMatching(/^no closed: /),
      "no prompt: the setting prompt is off",
      "no record: the prompt must announce the recording, but the setting prompt is off",
      expect.stringContaining("for 40 seconds"),
      "no whisper: neither a whisper nor accept_digit is set",
      expect.stringContaining(`fallback: rings ${fallback_number} for 40 seconds`),
    ]);
  });

  test("says whether the business is open at a time", async () => {
    const { name, number } = await newCalledPool();
    const settings = { hours: HOURS, closed_text: "Closed" };
    await service.api.updateCallFlow({ ...name, settings });
    const atNoon = await explain(number, { at: MONDAY_AT_NOON });
    expect(atNoon[0]).toMatch(/^no closed: /);
    const closed = await explain(number, { at: SUNDAY_AT_NOON });
    expect(closed[0]).toMatch(/^closed: /);
    expect(closed).toContain("no dial: the business is closed");
    expect(closed.at(-1)).toBe('hang_up: the caller hears "Closed"');
    const fallback_number = uniqueNumber();
    await service.api.updateCallFlow({ ...name, settings: { ...settings, fallback_number } });
    const forwarded = await explain(number, { at: SUNDAY_AT_NOON });
    expect(forwarded).toContain("record: the call is recorded (dual)");
    expect(forwarded.at(-1)).toMatch(`fallback: rings ${fallback_number} for 20 seconds`);
  });

  test("lists the steps that the number's phone system does not support, as UpdateCallFlow does", async () => {
    const { name, number, connect } = await newCalledPool();
    await connect(await newPbx());
    const settings = { whisper_text: "Call", prompt_text: "Hello" };
    const { warnings } = await service.api.updateCallFlow({ ...name, settings });
    expect(warnings).toEqual([
      'phone system "PBX" cannot play a prompt: prompt_text has no effect',
      'phone system "PBX" cannot play a whisper: whisper_text has no effect',
    ]);
    expect(await explain(number)).toEqual(
      expect.arrayContaining([
        "no prompt: the phone system cannot play a prompt",
        "no record: the phone system cannot record calls",
        "no whisper: the phone system cannot play a whisper or wait for a key",
      ]),
    );
    const phone_system_id = await newPbx({ capabilities: ["prompt", "recording", "whisper"] });
    expect(await explain(number, { phone_system_id })).toContain("record: the call is recorded (dual)");
  });

  test("lists destinations that the phone system may not dial", async () => {
    const { name, number, originalNumber, connect } = await newCalledPool();
    await connect(await newPbx({ allowed_prefixes: ["+49", "+43"] }));
    await service.api.updateCallFlow({ ...name, settings: { fallback_number: "+493012345678" } });
    const steps = await explain(number);
    expect(steps).toContain(
      `no dial: the phone system may not dial ${originalNumber}: only numbers that begin with +49, +43 may be dialed`,
    );
    expect(steps.at(-1)).toMatch(/^fallback: rings \+493012345678/);
  });

  test("by default, a phone system dials neither premium numbers nor other countries of its code", async () => {
    const { account, name, number, connect } = await newCalledPool();
    const phone_system_id = await newPbx({ allowed_prefixes: [] });
    await connect(phone_system_id);
    const barred = async (fallback_number: string) => {
      const { warnings } = await service.api.updateCallFlow({ ...name, settings: { fallback_number } });
      return { warnings, step: (await explain(number)).at(-1) };
    };
    const premium = "premium numbers may be dialed only if allowed_prefixes contains their prefix";
    expect(await barred("+19002345678")).toEqual({
      warnings: [`phone system "PBX" may not dial fallback_number +19002345678: ${premium}`],
      step: `no fallback: the phone system may not dial +19002345678: ${premium}`,
    });
    const inJamaica = "numbers in Jamaica, where the phone system has no number, may be dialed only if";
    expect((await barred("+18762345678")).step).toContain(inJamaica);
    expect((await barred("+12125550100")).step).toMatch(/^fallback: rings \+12125550100/);
    const settings = { fallback_number: "+18762345678" };
    const ofAccount = await service.api.updateDefaultCallFlow({ account_id: account.id, settings });
    expect(ofAccount.warnings).toEqual([
      expect.stringContaining(`may not dial fallback_number +18762345678: ${inJamaica}`),
    ]);
    await service.api.updateCallFlow({ ...name, settings: {} });
    expect((await service.api.getCallFlow(name)).warnings).toEqual([expect.stringContaining(inJamaica)]);
    await service.api.updatePhoneSystem({ phone_system_id, allowed_prefixes: { prefixes: ["+1"] } });
    expect((await explain(number)).at(-1)).toMatch(/^fallback: rings \+18762345678/);
    expect((await service.api.getCallFlow(name)).warnings).toEqual([]);
  });

  test("leaves out a fallback number that became a tracking number", async () => {
    const { name, number } = await newCalledPool();
    const fallback_number = uniqueNumber();
    await service.api.updateCallFlow({ ...name, settings: { fallback_number } });
    await service.api.addTrackingNumbers({ tracking_numbers: [{ phone_number: fallback_number, area_code: "1" }] });
    const loop = `no fallback: ${fallback_number} is a tracking number, so calls to it would loop`;
    expect(await explain(number)).toContain(loop);
    await service.api.retireTrackingNumber({ phone_number: fallback_number });
    expect((await explain(number)).at(-1)).toMatch(/^fallback: rings/);
  });

  test("names the rule that would reject a call, as phone systems receive it", async () => {
    const { account, number, trackers, addNumbers, originalNumber } = await newCalledPool();
    const other = await newCalledPool();
    const area_code = uniqueAreaCode();
    const [elsewhere = ""] = await addToInventory(service.api, area_code, 1);
    const pool = await service.api.createPool(createManualPoolFields(account, originalNumber, { area_code, size: 1 }));
    await makePoolDue(service.server, account.id, pool.id);
    await service.server.runDue();
    const [free = ""] = await addNumbers(1);
    const sibling = trackers.find(({ tracking_number }) => tracking_number !== number)?.tracking_number ?? "";
    const refused = (which: string) => [
      `reject: ${which} a tracking number that leads to ${originalNumber}, as the dialed number does`,
    ];
    for (const caller_number of [sibling, number, elsewhere]) {
      const explained = await explain(number, { caller_number });
      expect(explained).toEqual(refused(`the caller's number ${caller_number} is`));
    }
    for (const redirecting_number of [sibling, elsewhere]) {
      const explained = await explain(number, { redirecting_number, caller_number: uniqueNumber() });
      expect(explained).toEqual(refused(`the call was redirected by ${redirecting_number}, which is`));
    }
    const honest = [number, originalNumber, free, other.number, uniqueNumber()];
    for (const redirecting_number of honest) {
      const explained = await explain(number, { redirecting_number, caller_number: free });
      expect(explained, redirecting_number).toContainEqual(expect.stringContaining(`dial: rings ${originalNumber}`));
    }
    expect(await explain(number, { caller_number: other.number })).not.toContainEqual(expect.stringMatching(/^reject/));
    const wrong = { caller_number: "100", redirecting_number: "" };
    const refusal = service.api.explainCall({ tracking_number: number, ...wrong });
    expect(await requireRefusedFields(refusal)).toEqual(Object.keys(wrong));
  });

  test("routes calls for a released number and a disabled account, but none from a disabled phone system", async () => {
    const { account, name, originalNumber, trackers, pass } = await newCalledPool();
    await service.api.updatePool({ ...name, size: 1 });
    const [kept] = await pass();
    const released = trackers.find(({ id }) => id !== kept?.id)?.tracking_number ?? "";
    await service.api.updateAccount({ id: account.id, is_active: false });
    for (const number of [released, kept?.tracking_number ?? ""]) {
      expect(await explain(number)).toContainEqual(expect.stringContaining(`dial: rings ${originalNumber}`));
    }
    const phone_system_id = await newPbx();
    await service.api.updatePhoneSystem({ phone_system_id, is_active: false });
    expect(await explain(released, { phone_system_id })).toEqual([
      expect.stringMatching(/^reject: the phone system is disabled/),
    ]);
  });

  test("rejects unknown numbers and phone systems, and all invalid fields", async () => {
    const { number, addNumbers } = await newCalledPool();
    const [free = ""] = await addNumbers(1);
    for (const tracking_number of [uniqueNumber(), free]) {
      await expect(service.api.explainCall({ tracking_number })).rejects.toThrow("NOT_FOUND TRACKING_NUMBER_NOT_FOUND");
    }
    for (const phone_system_id of [UNKNOWN, "no-uuid"]) {
      await expect(service.api.explainCall({ tracking_number: number, phone_system_id })).rejects.toThrow(
        "NOT_FOUND PHONE_SYSTEM_NOT_FOUND",
      );
    }
    const wrong = { tracking_number: "12", phone_system_id: "", at: "0001-01-01T00:00:00Z" };
    expect(await requireRefusedFields(service.api.explainCall(wrong))).toEqual(Object.keys(wrong).toSorted());
  });

  test("shows an account only the phone system of its number", async () => {
    const { account, number, connect } = await newCalledPool();
    const [own, other] = [await newPbx(), await newPbx()];
    await connect(own);
    const explainFor = (phoneSystemId: string) => {
      const call = { trackingNumber: number, phoneSystemId, callerNumber: undefined, redirectingNumber: undefined };
      const principal = { id: account.id, token: account.account_token };
      return explainCall(service.server.database.db, call, new Date(), principal);
    };
    expect(await explainFor(own)).toMatchObject({ phoneSystemId: own });
    await expect(explainFor(other)).rejects.toThrow("phone system");
  });

  test("agrees with the routes that phone systems cache", async () => {
    const { db } = service.server.database;
    const { number, addNumbers } = await newCalledPool();
    const [free = ""] = await addNumbers(1);
    const all = await listCallRoutes(db, "", 1000);
    expect(all.map(({ trackingNumber }) => trackingNumber)).toContain(number);
    expect(all.map(({ trackingNumber }) => trackingNumber)).not.toContain(free);
    const pages = [];
    for (let page = await listCallRoutes(db, "", 2); page.length > 0; ) {
      pages.push(...page);
      page = await listCallRoutes(db, page.at(-1)?.trackingNumber ?? "", 2);
    }
    expect(pages).toEqual(all);
    expect(await findTrackingNumbersAmong(db, [number, free, uniqueNumber(), number])).toEqual(new Set([number, free]));
  });
});
