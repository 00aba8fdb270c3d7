import { expect, test } from "vitest";
import type { RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccount, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";
import { newTrackedPool } from "../../testing/tracked-pool.js";

const DAY_MS = 86_400_000;

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

describeBehavior("ImportCallHistory", (service) => {
  const api = () => service.api;

  async function newAccountId(): Promise<string> {
    return (await newAccount(api())).account_token;
  }

  /** An old call that was answered and took 150 seconds. */
  function oldCall(fields: RequestFields = {}): RequestFields {
    const started = Date.parse((fields.started_at as string | undefined) ?? daysAgo(300));
    const at = (seconds: number) => new Date(started + 1000 * seconds).toISOString();
    return {
      ...{ call_id: uniqueToken("call"), tracking_number: uniqueNumber(), caller_number: uniqueNumber() },
      ...{ started_at: at(0), answered_at: at(6), ended_at: at(156) },
      ...{ original_number: "+10005550100", source: "google", medium: "cpc" },
      ...fields,
    };
  }

  /** Imports one call, which must be rejected. Returns the reason and the message of the rejection. */
  async function refused(account_id: string, call: RequestFields): Promise<readonly unknown[]> {
    const response = await api().importCallHistory({ account_id, calls: [call] });
    expect(response).toMatchObject({ created: 0, already_there: 0 });
    return response.refused.map(({ reason, message }) => [reason, message]);
  }

  test("records calls to numbers that Calltrack never had, with the stated source", async () => {
    const account_id = await newAccountId();
    const known = oldCall({ property_token: "shop", source: "Google ", medium: "CPC" });
    const recorded = oldCall({ recording_url: "https://recordings.example/1.mp3", source: "radio", medium: null });
    const { caller_number: _, source: __, medium: ___, ...bare } = oldCall({ outcome: "missed", answered_at: null });
    const calls = [known, recorded, bare];
    expect(await api().importCallHistory({ account_id, calls })).toEqual({ created: 3, already_there: 0, refused: [] });
    const { entries } = await api().listCalls({ account_id });
    const find = ({ call_id }: RequestFields) => entries.find((call) => call.call_id === call_id);
    expect(find(known)).toMatchObject({
      ...{ ...known, source: "google", medium: "cpc" },
      ...{ account_token: account_id, outcome: "answered", duration_seconds: 150, is_imported: true },
      ...{ pool_id: null, call_tracker_id: null, tracker_status: null },
      ...{ is_first_call: true, is_prompted: false, is_recorded: false, outcome_basis: null },
    });
    expect(find(recorded)).toMatchObject({
      is_recorded: true,
      property_token: null,
      source: "radio",
      medium: "(not set)",
    });
    expect(find(bare)).toMatchObject({
      ...{ caller_number: null, is_first_call: null, outcome: "missed", duration_seconds: 0 },
      ...{ source: null, medium: null },
    });
    expect((await api().listCalls({ account_id, property_token: "shop" })).entries).toEqual([find(known)]);
  });

  test("gives a call without an end the outcome unknown, or answered if it has an answer time", async () => {
    const account_id = await newAccountId();
    const calls = [
      oldCall({ answered_at: null, ended_at: null }),
      oldCall({ ended_at: null }),
      oldCall({ answered_at: null }),
    ];
    await api().importCallHistory({ account_id, calls });
    const { entries } = await api().listCalls({ account_id });
    const outcomes = calls.map(({ call_id }) => {
      const { outcome, ended_at, duration_seconds } = entries.find((call) => call.call_id === call_id) ?? {};
      return [outcome, ended_at !== null, duration_seconds];
    });
    expect(outcomes).toEqual([
      ["unknown", false, null],
      ["answered", false, null],
      ["missed", true, 0],
    ]);
  });

  test("counts old calls in reports, and no visits", async () => {
    const account_id = await newAccountId();
    const calls = [oldCall(), oldCall(), oldCall({ source: "bing", started_at: daysAgo(2) })];
    await api().importCallHistory({ account_id, calls });
    const rows = await api().reportCalls({ account_id, group_by: ["source"] });
    expect(
      rows.map(({ source, calls: count, answered, total_seconds }) => [source, count, answered, total_seconds]),
    ).toEqual([
      ["google", 2, 2, 300],
      ["bing", 1, 1, 150],
    ]);
    const [whole] = await api().reportCalls({ account_id, group_by: ["pool"] });
    expect(whole).toMatchObject({ pool_id: null, calls: 3, first_calls: 3 });
    const days = await api().reportCalls({ account_id, from: daysAgo(3), group_by: ["day"] });
    expect(days.reduce((sum, { visits }) => sum + Number(visits ?? 0), 0)).toBe(0);
  });

  test("marks only a caller's earliest call as the first, in either order of recording", async () => {
    const { account, trackers } = await newTrackedPool(service, { size: 1, numbers: 1, pool_type: "manual" });
    const account_id = account.account_token;
    const tracking_number = trackers[0]?.tracking_number;
    const caller_number = uniqueNumber();
    const now = await api().createCall({ call_id: uniqueToken("call"), tracking_number, caller_number });
    expect(now).toMatchObject({ is_first_call: true, is_imported: false });
    const old = oldCall({ caller_number });
    await api().importCallHistory({ account_id, calls: [old] });
    const first = { caller_number, is_first_call: true };
    const { entries } = await api().listCalls({ account_id, caller_number });
    expect(entries).toMatchObject([
      { id: now.id, is_first_call: false },
      { call_id: old.call_id, ...first },
    ]);
    const older = oldCall({ caller_number, started_at: daysAgo(350) });
    await api().importCallHistory({ account_id, calls: [older] });
    const firsts = (await api().listCalls({ account_id, caller_number })).entries.filter((call) => call.is_first_call);
    expect(firsts).toMatchObject([{ call_id: older.call_id }]);
  });

  test("does not record a call twice, and rejects one with other facts", async () => {
    const account_id = await newAccountId();
    const call = oldCall();
    const calls = [call, call, oldCall()];
    expect(await api().importCallHistory({ account_id, calls })).toMatchObject({ created: 2, already_there: 1 });
    expect(await api().importCallHistory({ account_id, calls })).toMatchObject({ created: 0, already_there: 3 });
    const both = await Promise.all([1, 2].map(() => api().importCallHistory({ account_id, calls: [oldCall(call)] })));
    expect(both).toMatchObject(Array(2).fill({ already_there: 1 }));
    for (const change of [{ source: "bing" }, { original_number: "+10005550199" }, { property_token: "other" }]) {
      expect(await refused(account_id, { ...call, ...change })).toEqual([["CALL_ALREADY_EXISTS", expect.any(String)]]);
    }
  });

  test("rejects each invalid record, and records the others", async () => {
    const account_id = await newAccountId();
    const invalid: readonly (readonly [RequestFields, RegExp])[] = [
      [{ source: null }, /source is required if medium is set/],
      [{ original_number: null }, /original_number is required/],
      [{ original_number: "5550100" }, /original_number must be/],
      [{ started_at: null, answered_at: null, ended_at: null }, /started_at is required/],
      [{ started_at: daysAgo(401) }, /started_at must be at most \d+ days ago/],
      [{ outcome: "in_progress", answered_at: null, ended_at: null }, /outcome must not be in_progress/],
      [{ outcome: "missed" }, /outcome must be answered or voicemail/],
      [{ property_token: "a b" }, /property_token must/],
    ];
    const calls = [...invalid.map(([fields]) => ({ ...oldCall(), ...fields })), oldCall()];
    const response = await api().importCallHistory({ account_id, calls });
    expect(response.created).toBe(1);
    expect(response.refused.map(({ index, reason }) => [index, reason])).toEqual(
      invalid.map((_, index) => [index, "FIELD_INVALID"]),
    );
    for (const [index, [, message]] of invalid.entries()) expect(response.refused[index]?.message).toMatch(message);
    expect(await requireRefusedFields(api().importCallHistory({ account_id, calls: [] }))).toEqual(["calls"]);
    expect(await requireRefusal(api().importCallHistory({ account_id: "none", calls: [oldCall()] }))).toMatchObject({
      reason: "ACCOUNT_NOT_FOUND",
    });
  });

  test("accepts calls from before a number's first call tracker, and rejects later ones", async () => {
    const { account, trackers } = await newTrackedPool(service, { size: 1, numbers: 1, pool_type: "manual" });
    const tracking_number = trackers[0]?.tracking_number;
    const account_id = account.account_token;
    const before = oldCall({ tracking_number });
    expect(await api().importCallHistory({ account_id, calls: [before] })).toMatchObject({ created: 1 });
    const during = oldCall({ tracking_number, started_at: daysAgo(0), answered_at: null, ended_at: null });
    expect(await refused(account_id, during)).toEqual([
      [
        "FIELD_INVALID",
        expect.stringMatching(/started_at must be before tracking_number was first in a pool of the account/),
      ],
    ]);
    // The rule applies only to call trackers of the same account, so another account can import the call.
    const other = await newAccountId();
    expect(await api().importCallHistory({ account_id: other, calls: [during] })).toMatchObject({ created: 1 });
  });
});
