import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import type { CallJson, RequestFields } from "../../testing/api-client.js";
import { describeBehavior } from "../../testing/behavior.js";
import { readPages } from "../../testing/read-pages.js";
import { requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccount, uniqueNumber, uniqueToken } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";
import { newTrackedPool, type TrackedPool, unscheduleAllPools } from "../../testing/tracked-pool.js";

const SECOND_MS = 1000;
const DAY_S = 86_400;

const after = (time: string, seconds: number) => new Date(Date.parse(time) + seconds * SECOND_MS).toISOString();

describeBehavior(
  "calls",
  (service) => {
    const api = () => service.api;
    const now = async () => (await service.clients.json.getClock()).now;
    const advance = (days: number) => service.clients.json.advanceClock({ by: `${Math.round(days * DAY_S)}s` });

    /** Creates a pool whose only call tracker is assigned to google. */
    async function newServingPool(): Promise<TrackedPool & { readonly account_id: string; readonly number: string }> {
      const fields = { size: 1, utilization: 1, numbers: 1, is_prompted: true };
      const pool = await newTrackedPool(service, { ...fields, visits: { "google / cpc": 300 } });
      const [tracker] = pool.trackers;
      if (tracker?.source !== "google") throw new Error("the call tracker has no source");
      return { ...pool, account_id: pool.account.account_token, number: tracker.tracking_number };
    }

    const nameOf = ({ account_token, id }: CallJson) => ({ account_id: account_token, id });
    const create = (number: string, fields: RequestFields = {}) =>
      api().createCall({ call_id: uniqueToken("call"), tracking_number: number, ...fields });
    const listIds = async (account_id: string, filter: RequestFields = {}) =>
      (await api().listCalls({ account_id, ...filter })).entries.map(({ id }) => id);

    afterEach(() => unscheduleAllPools(service.server));

    describe("CreateCall", () => {
      test("attributes a call to the pool and source of its number", async () => {
        const { account_id, pool, number, originalNumber, property } = await newServingPool();
        const [before, call_id, caller_number] = [await now(), uniqueToken("call"), uniqueNumber()];
        const call = await api().createCall({ call_id, tracking_number: number, caller_number });
        expect(call).toEqual({
          id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
          account_token: account_id,
          call_id,
          tracking_number: number,
          caller_number,
          started_at: expect.stringMatching(TIMESTAMP),
          answered_at: null,
          ended_at: null,
          duration_seconds: null,
          outcome: "in_progress",
          recording_url: null,
          pool_id: pool.id,
          call_tracker_id: expect.any(String),
          original_number: originalNumber,
          property_token: property,
          source: "google",
          medium: "cpc",
          tracker_status: "active",
          is_first_call: true,
          is_prompted: true,
          is_recorded: true,
          phone_system_id: null,
          outcome_basis: null,
          recording_expires_at: null,
          reject_reason: null,
          caller_attestation: null,
          is_imported: false,
          answered_by: null,
          created_at: expect.stringMatching(TIMESTAMP),
          updated_at: call.created_at,
        });
        expect(call.started_at >= before).toBe(true);
        expect(await api().getCall(nameOf(call))).toEqual(call);
        expect(await api().listCalls({ account_id })).toMatchObject({ entries: [call] });
      });

      test("records calls to a manual pool without a source, and to a returned number for its last holder", async () => {
        const pool = await newTrackedPool(service, { pool_type: "manual", size: 1, numbers: 1, is_prompted: false });
        const [tracker] = pool.trackers;
        const number = tracker?.tracking_number as string;
        const available = await create(number);
        expect(available).toMatchObject({
          tracker_status: "available",
          source: null,
          medium: null,
          is_prompted: false,
        });
        const name = { ...pool.name, call_tracker_id: tracker?.id };
        await service.clients.json.updateCallTracker(name);
        expect(await create(number)).toMatchObject({ tracker_status: "active", source: null });
        await service.clients.json.flagCallTracker(name);
        expect(await create(number)).toMatchObject({ tracker_status: "flagged", source: null });
        await service.clients.json.retireTrackingNumber({ phone_number: number, immediately: true });
        await pool.pass();
        const released = { tracker_status: "released", call_tracker_id: tracker?.id, pool_id: pool.pool.id };
        expect(await create(number)).toMatchObject(released);
      });

      test("attributes a call as of its start when it is recorded late", async () => {
        const { number, pass } = await newServingPool();
        const started_at = await now();
        await advance(29);
        await pass();
        const during = await now();
        await advance(31.1);
        await pass();
        const call = await create(number, { started_at });
        expect(call).toMatchObject({ source: "google", tracker_status: "active", started_at });
        expect(await create(number, { started_at: during })).toMatchObject({ source: "google" });
        const late = await create(number);
        expect(late).toMatchObject({ source: "google", medium: "cpc", tracker_status: "available" });
      });

      test("returns the existing call for a repeated request, even after an update", async () => {
        const { number } = await newServingPool();
        const request = { call_id: uniqueToken("call"), tracking_number: number, caller_number: uniqueNumber() };
        const call = await api().createCall(request);
        expect(await api().createCall(request)).toEqual(call);
        const updated = await api().updateCall({ ...nameOf(call), answered_at: after(call.started_at, 2) });
        expect(await api().createCall({ ...request, outcome: "in_progress" })).toEqual(updated);
        for (const other of [
          { caller_number: uniqueNumber() },
          { caller_number: undefined },
          { started_at: call.started_at },
        ]) {
          await expect(api().createCall({ ...request, ...other })).rejects.toThrow(
            "ALREADY_EXISTS CALL_ALREADY_EXISTS",
          );
        }
      });

      test("creates one call for concurrent repeated requests, and one first call for each caller", async () => {
        const { account_id, number } = await newServingPool();
        const request = { call_id: uniqueToken("call"), tracking_number: number, caller_number: uniqueNumber() };
        const calls = await Promise.all(Array.from({ length: 8 }, () => api().createCall(request)));
        expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
        const caller_number = uniqueNumber();
        await Promise.all(Array.from({ length: 8 }, () => create(number, { caller_number })));
        const { entries } = await api().listCalls({ account_id, caller_number });
        expect(entries.map(({ is_first_call }) => is_first_call).toSorted()).toEqual([
          ...Array<boolean>(7).fill(false),
          true,
        ]);
      });

      test("records concurrent calls of several accounts, each for the holder of its number", async () => {
        const pools = [await newServingPool(), await newServingPool()];
        const call_id = uniqueToken("call");
        const requests = Array.from({ length: 4 }, () => pools.map(({ number }) => create(number, { call_id })));
        const others = pools.map(({ number }) => create(number));
        const tooEarly = { started_at: after(await now(), -3600) };
        const rejected = [create(uniqueNumber()), create(pools[0]?.number as string, tooEarly)].map(requireRefusal);
        const calls = await Promise.all([...requests.flat(), ...others]);
        expect((await Promise.all(rejected)).map(({ reason }) => reason)).toEqual([
          "TRACKING_NUMBER_NOT_FOUND",
          "FIELD_INVALID",
        ]);
        for (const { account_id, pool } of pools) {
          const { entries } = await api().listCalls({ account_id });
          const ofAccount = calls.filter(({ account_token }) => account_token === account_id);
          expect(ofAccount).toHaveLength(5);
          expect(new Set(ofAccount.map(({ id }) => id))).toEqual(new Set(entries.map(({ id }) => id)));
          expect(entries.map(({ pool_id }) => pool_id)).toEqual([pool.id, pool.id]);
        }
      });

      test("marks the first call of a caller in any order of recording", async () => {
        const { account_id, number } = await newServingPool();
        const [start, caller_number] = [await now(), uniqueNumber()];
        const record = (seconds: number) => create(number, { caller_number, started_at: after(start, seconds) });
        const later = await record(2);
        expect(later.is_first_call).toBe(true);
        const last = await record(3);
        expect(last.is_first_call).toBe(false);
        const earliest = await record(1);
        expect(earliest.is_first_call).toBe(true);
        const { entries } = await api().listCalls({ account_id });
        expect(entries.map(({ id, is_first_call }) => [id, is_first_call])).toEqual([
          [last.id, false],
          [later.id, false],
          [earliest.id, true],
        ]);
        expect((await create(number)).is_first_call).toBeNull();
      });

      test("records a call that has ended", async () => {
        const { number } = await newServingPool();
        const started_at = await now();
        const missed = await create(number, { started_at, ended_at: after(started_at, 9) });
        expect(missed).toMatchObject({ outcome: "missed", duration_seconds: 0 });
        const times = { started_at, answered_at: after(started_at, 1), ended_at: after(started_at, 62.999) };
        const recording_url = "https://recordings.example/1.mp3?a=b";
        const answered = await create(number, { ...times, recording_url });
        expect(answered).toMatchObject({ ...times, outcome: "answered", duration_seconds: 61, recording_url });
      });

      test("rejects a number that was never held, and a start before it was first held", async () => {
        const { number, addNumbers } = await newServingPool();
        const [unheld] = await addNumbers(1);
        for (const tracking_number of [uniqueNumber(), unheld as string]) {
          await expect(create(tracking_number)).rejects.toThrow("NOT_FOUND TRACKING_NUMBER_NOT_FOUND");
        }
        const { message, reason } = await requireRefusal(create(number, { started_at: after(await now(), -3600) }));
        expect(reason).toBe("FIELD_INVALID");
        expect(message).toMatch(
          /^started_at must not be before 2\d{3}-.*: before that time, the number was in no pool$/,
        );
      });

      test.each([
        [{ call_id: undefined }, "call_id", "is required"],
        [{ call_id: "a b" }, "call_id", "must not contain whitespace"],
        [{ tracking_number: "+1 222 555 0142" }, "tracking_number", "must be a phone number in E.164 format"],
        [{ caller_number: "12225550142" }, "caller_number", "must be a phone number in E.164 format"],
        [{ started_at: "2100-01-01T00:00:00Z" }, "started_at", "must not be in the future"],
        [{ started_at: "2001-01-01T00:00:00Z" }, "started_at", "must be at most 400 days ago"],
        [{ ended_at: "2026-01-01T00:00:00Z" }, "started_at", "is required if answered_at or ended_at is given"],
        [{ outcome: "missed" }, "outcome", "must be in_progress or unknown until ended_at is given"],
        [{ outcome: "answered" }, "outcome", "must not be answered if answered_at is missing: send answered_at"],
        [{ recording_url: "http://recordings.example/1.mp3" }, "recording_url", "must be an https URL"],
      ])("rejects %o", async (fields, field, problem) => {
        const request = { call_id: "1", tracking_number: uniqueNumber(), ...fields };
        const refused = await requireRefusal(api().createCall(request));
        expect(refused.message).toContain(`${field} ${problem}`);
        expect(await requireRefusedFields(api().createCall(request))).toEqual([field]);
      });

      test("rejects times in the wrong order", async () => {
        const started_at = await now();
        const request = { call_id: "1", tracking_number: uniqueNumber(), started_at };
        const [later, latest] = [after(started_at, 5), after(started_at, 9)];
        for (const [fields, message] of [
          [{ answered_at: after(started_at, -1) }, "answered_at must not be before started_at"],
          [{ ended_at: after(started_at, -1) }, "ended_at must not be before started_at"],
          [{ answered_at: latest, ended_at: later }, "ended_at must not be before answered_at"],
          [{ ended_at: later, outcome: "in_progress" }, "outcome must not be in_progress if ended_at is given"],
          [
            { answered_at: later, ended_at: latest, outcome: "busy" },
            "outcome must be answered or voicemail if answered_at is given",
          ],
        ] as const) {
          expect((await requireRefusal(api().createCall({ ...request, ...fields }))).message).toBe(message);
        }
      });
    });

    describe("UpdateCall", () => {
      test("updates a call until it has ended", async () => {
        const { number } = await newServingPool();
        const call = await create(number);
        const [answered_at, ended_at] = [after(call.started_at, 3), after(call.started_at, 33.5)];
        const answered = await api().updateCall({ ...nameOf(call), answered_at });
        expect(answered).toEqual({ ...call, answered_at, updated_at: answered.updated_at });
        expect(answered.updated_at > call.updated_at).toBe(true);
        const ended = await api().updateCall({ ...nameOf(call), ended_at });
        expect(ended).toMatchObject({ answered_at, ended_at, outcome: "answered", duration_seconds: 30 });
        const recording_url = "https://recordings.example/1.mp3";
        const voicemail = await api().updateCall({ ...nameOf(call), ended_at, outcome: "voicemail", recording_url });
        expect(voicemail).toMatchObject({ ended_at, outcome: "voicemail", recording_url });
        for (const times of [{ ended_at: after(ended_at, 1) }, { answered_at: after(answered_at, 1) }]) {
          await expect(api().updateCall({ ...nameOf(call), ...times })).rejects.toThrow(
            "FAILED_PRECONDITION CALL_ENDED",
          );
        }
        const reopened = api().updateCall({ ...nameOf(call), outcome: "in_progress" });
        expect(await requireRefusedFields(reopened)).toEqual(["outcome"]);
        expect(await api().updateCall(nameOf(call))).toEqual(voicemail);
        expect(await api().getCall(nameOf(call))).toEqual(voicemail);
      });

      test("writes audit entries without the caller's number", async () => {
        const { account_id, number } = await newServingPool();
        const call = await create(number, { caller_number: uniqueNumber() });
        await api().updateCall({ ...nameOf(call), ended_at: after(call.started_at, 7) });
        const { entries } = await api().listAuditEntries({ account_id, resource_id: call.id });
        expect(entries).toMatchObject([
          {
            method: "UpdateCall",
            resource_type: "call",
            before: { outcome: "in_progress", ended_at: null, duration_seconds: null },
            after: { outcome: "missed", ended_at: after(call.started_at, 7), duration_seconds: 0 },
          },
        ]);
        expect(JSON.stringify(entries)).not.toContain(call.caller_number);
      });

      test("enforces the etag condition, and loses no concurrent update", async () => {
        const { number } = await newServingPool();
        const call = await create(number);
        const etag = await api().etagFrom("getCall", nameOf(call));
        await api().updateCall({ ...nameOf(call), etag, answered_at: after(call.started_at, 1) });
        expect(
          await requireRefusal(api().updateCall({ ...nameOf(call), etag, answered_at: after(call.started_at, 2) })),
        ).toMatchObject({ reason: "ETAG_MISMATCH" });
        const recording_url = "https://recordings.example/2.mp3";
        await Promise.all([
          api().updateCall({ ...nameOf(call), ended_at: after(call.started_at, 5) }),
          api().updateCall({ ...nameOf(call), recording_url }),
        ]);
        expect(await api().getCall(nameOf(call))).toMatchObject({
          outcome: "answered",
          duration_seconds: 4,
          recording_url,
        });
      });

      test("returns 404 for another account's call and for an unknown call", async () => {
        const { number } = await newServingPool();
        const call = await create(number);
        const other = await newAccount(api());
        for (const name of [
          { ...nameOf(call), account_id: other.account_token },
          { ...nameOf(call), id: "nothing" },
        ]) {
          for (const send of [() => api().getCall(name), () => api().updateCall({ ...name, outcome: "in_progress" })]) {
            expect(await requireRefusal(send())).toMatchObject({ status: "NOT_FOUND", reason: "CALL_NOT_FOUND" });
          }
        }
      });
    });

    describe("BatchCreateCalls", () => {
      test("records each call independently and only once", async () => {
        const [mine, theirs] = [await newServingPool(), await newServingPool()];
        const started_at = await now();
        const record = (call_id: string, tracking_number: string, fields: RequestFields = {}) => ({
          ...{ call_id, tracking_number, started_at },
          ...fields,
        });
        const calls = [
          record("1", mine.number),
          record("2", theirs.number),
          record("3", uniqueNumber()),
          record("4", mine.number, { started_at: undefined }),
          record("5", "+1 222", { outcome: "busy" }),
          record("1", mine.number),
          record("1", mine.number, { caller_number: uniqueNumber() }),
          record("1", theirs.number),
        ];
        const first = await api().batchCreateCalls({ calls });
        expect(first).toMatchObject({ created: 3, already_there: 1 });
        expect(first.refused.map(({ index, call_id, reason }) => [index, call_id, reason])).toEqual([
          [2, "3", "TRACKING_NUMBER_NOT_FOUND"],
          [3, "4", "FIELD_INVALID"],
          [4, "5", "FIELD_INVALID"],
          [6, "1", "CALL_ALREADY_EXISTS"],
        ]);
        expect(first.refused[1]?.message).toBe("started_at is required in a batch");
        expect(first.refused[2]?.message).toContain("tracking_number must be a phone number");
        expect(await api().batchCreateCalls({ calls })).toEqual({ ...first, created: 0, already_there: 4 });
        expect(await listIds(mine.account_id)).toHaveLength(1);
        expect(await listIds(theirs.account_id)).toHaveLength(2);
      });

      test("records concurrent batches of the same new callers without deadlocks", async () => {
        const { account_id, number } = await newServingPool();
        const started_at = await now();
        const callers = Array.from({ length: 500 }, (_, index) => `+1778${1_000_000 + index}`);
        const batchOf = (name: string, ofCallers: readonly string[]) =>
          ofCallers.map((caller_number, index) => {
            return { call_id: `${name}-${index}`, tracking_number: number, started_at, caller_number };
          });
        const batches = ["1", "2", "3"].flatMap((turn) => [
          { calls: batchOf(`up-${turn}`, callers) },
          { calls: batchOf(`down-${turn}`, callers.toReversed()) },
        ]);
        const results = await Promise.all(batches.map((batch) => api().batchCreateCalls(batch)));
        expect(results.map(({ created }) => created)).toEqual(batches.map(() => 500));
        const { rows } = await sql<{ deadlocks: number }>`
          select deadlocks::integer from pg_stat_database where datname = current_database()`.execute(
          service.server.database.kysely,
        );
        expect(rows).toEqual([{ deadlocks: 0 }]);
        const [total] = await api().reportCalls({ account_id });
        expect(total).toMatchObject({ calls: 3000, first_calls: 500 });
      });

      test("accepts 1 to 1000 calls", async () => {
        const { account_id, number } = await newServingPool();
        const started_at = await now();
        const calls = Array.from({ length: 1000 }, (_, index) => ({
          ...{ call_id: String(index), tracking_number: number, started_at, caller_number: `+1777000000${index % 7}` },
        }));
        expect(await requireRefusedFields(api().batchCreateCalls({ calls: [] }))).toEqual(["calls"]);
        expect(await requireRefusedFields(api().batchCreateCalls({ calls: [...calls, ...calls] }))).toEqual(["calls"]);
        expect(await api().batchCreateCalls({ calls })).toEqual({ created: 1000, already_there: 0, refused: [] });
        const { entries } = await api().listCalls({ account_id });
        expect(entries.filter(({ is_first_call }) => is_first_call)).toHaveLength(7);
      });
    });

    describe("ListCalls", () => {
      test("returns matching calls, newest first", async () => {
        const { account_id, pool, number, property } = await newServingPool();
        const start = await now();
        const caller_number = uniqueNumber();
        const at = (seconds: number) => after(start, seconds);
        const one = await create(number, { started_at: at(1), caller_number });
        const two = await create(number, { started_at: at(2), ended_at: at(9), outcome: "busy" });
        const three = await create(number, { started_at: at(3), caller_number });
        const list = (filter: RequestFields) => listIds(account_id, filter);
        for (const [filter, calls] of [
          [{}, [three, two, one]],
          [
            { pool_id: pool.id.toUpperCase(), property_token: property, source: "google", medium: "cpc" },
            [three, two, one],
          ],
          [{ outcome: "busy" }, [two]],
          [{ caller_number }, [three, one]],
          [{ caller_number, from: at(2) }, [three]],
          [{ from: at(1), to: at(3) }, [two, one]],
          [{ from: at(2), to: at(2) }, []],
          [{ source: "bing" }, []],
          [{ medium: "organic" }, []],
          [{ property_token: "other" }, []],
          [{ pool_id: "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e" }, []],
        ] as const) {
          expect(await list(filter), JSON.stringify(filter)).toEqual(calls.map(({ id }) => id));
        }
        for (const [filter, field] of [
          [{ pool_id: "nothing" }, "pool_id"],
          [{ caller_number: "7" }, "caller_number"],
          [{ from: at(2), to: at(1) }, "to"],
        ] as const) {
          expect(await requireRefusedFields(api().listCalls({ account_id, ...filter }))).toEqual([field]);
        }
      });

      test("returns each call once across pages, even if several started at the same moment", async () => {
        const { account_id, number } = await newServingPool();
        const [started_at, caller_number] = [await now(), uniqueNumber()];
        for (let index = 0; index < 7; index++) {
          await create(number, { caller_number, started_at: after(started_at, index % 2) });
        }
        for (const filter of [{}, { caller_number }, { to: after(started_at, 1) }]) {
          const { entries } = await api().listCalls({ account_id, ...filter });
          const paged = await readPages((page) => api().listCalls({ account_id, page_size: 2, ...filter, ...page }));
          expect(paged).toEqual(entries);
        }
        const { nextPageToken: page_token } = await api().listCalls({ account_id, page_size: 2 });
        for (const filter of [{ outcome: "busy" }, { reject_reason: "LOOP" }]) {
          const other = { account_id, page_token, ...filter };
          expect(await requireRefusal(api().listCalls(other))).toMatchObject({ reason: "PAGE_TOKEN_INVALID" });
        }
      });
    });

    describe("ForgetCaller", () => {
      test("erases the caller from all calls of the account, and from no other account's calls", async () => {
        const [mine, theirs] = [await newServingPool(), await newServingPool()];
        const caller_number = uniqueNumber();
        const forgotten = await create(mine.number, { caller_number });
        const again = await create(mine.number, { caller_number });
        const kept = await create(theirs.number, { caller_number });
        const { account_id } = mine;
        expect(await api().forgetCaller({ account_id, caller_number })).toEqual({ calls: 2 });
        expect(await api().forgetCaller({ account_id, caller_number })).toEqual({ calls: 0 });
        for (const call of [forgotten, again]) {
          expect(await api().getCall(nameOf(call))).toEqual({
            ...call,
            caller_number: null,
            updated_at: expect.stringMatching(TIMESTAMP),
          });
        }
        expect(await listIds(account_id, { caller_number })).toEqual([]);
        expect(await api().getCall(nameOf(kept))).toEqual(kept);
        const { entries } = await api().listAuditEntries({ account_id, resource_id: forgotten.id });
        expect(entries).toMatchObject([
          {
            method: "ForgetCaller",
            before: { has_caller: true },
            after: { has_caller: false },
          },
        ]);
        expect(JSON.stringify((await api().listAuditEntries({ account_id })).entries)).not.toContain(caller_number);
        const misspelled = api().forgetCaller({ account_id, caller_number: "7" });
        expect(await requireRefusedFields(misspelled)).toEqual(["caller_number"]);
      });
    });
  },
  { hasVirtualClock: true },
);
