import { Client, credentials } from "@grpc/grpc-js";
import { describe, expect, test } from "vitest";
import { describeBehavior, describeOnEngines, type Service } from "../../testing/behavior.js";
import { getApiMethodDefinition } from "../../testing/grpc-client.js";
import { readPages } from "../../testing/read-pages.js";
import { createInvalidFieldRefusal, requireRefusal, requireRefusedFields } from "../../testing/refusal.js";
import { newAccount, newAccountWithNumber, uniqueNumber } from "../../testing/request-fields.js";
import { TIMESTAMP } from "../../testing/timestamp.js";
import { inventoryCarrier } from "./inventory-carrier.js";

let areaCodes = 10_000;

/** Returns an area code that no other test of this file uses, because all tests share the server's inventory. */
function ownAreaCode(): string {
  return String(areaCodes++);
}

function numberOf(area_code: string) {
  return { phone_number: uniqueNumber(), area_code };
}

function numbersOf(area_code: string, count: number) {
  return Array.from({ length: count }, () => numberOf(area_code));
}

/** Assigns a number to a call tracker that does not exist, which the inventory does not check. */
function assign({ server }: Service, trackingNumber: string): Promise<void> {
  return inventoryCarrier.buy(server.database.db, [
    { trackingNumber, accountId: 1, poolId: crypto.randomUUID(), callTrackerId: crypto.randomUUID() },
  ]);
}

describeBehavior("the inventory", (service) => {
  const add = (...tracking_numbers: object[]) => service.api.addTrackingNumbers({ tracking_numbers });

  /** Adds numbers to the inventory. */
  async function newNumbers(area_code: string, count: number): Promise<string[]> {
    const numbers = numbersOf(area_code, count);
    await add(...numbers);
    return numbers.map(({ phone_number }) => phone_number);
  }

  describe("AddTrackingNumbers", () => {
    test("adds each number once", async () => {
      const area_code = ownAreaCode();
      const [one, two, three] = [numberOf(area_code), numberOf(area_code), numberOf(area_code)];
      expect(await add(one, two, one)).toEqual({ added: 2, already_there: 0, refused: [] });
      expect(await add(three, two, one)).toEqual({ added: 1, already_there: 2, refused: [] });
      const { entries } = await service.api.listTrackingNumbers({ area_code });
      const numbers = [one, two, three].map(({ phone_number }) => phone_number);
      expect(entries.map(({ phone_number }) => phone_number)).toEqual(numbers.toSorted());
      expect(entries[0]).toEqual({
        phone_number: expect.any(String),
        area_code,
        state: "free",
        account_id: null,
        pool_id: null,
        call_tracker_id: null,
        rests_until: null,
        created_at: expect.stringMatching(TIMESTAMP),
        updated_at: entries[0]?.created_at,
        retires_immediately: false,
        phone_system_id: null,
      });
    });

    test("assigns numbers to the given phone system", async () => {
      const area_code = ownAreaCode();
      const newSystem = () =>
        service.api.createPhoneSystem({ name: "PBX", kind: "sip", fallback_number: uniqueNumber() });
      const [first, second] = [(await newSystem()).phone_system.id, (await newSystem()).phone_system.id];
      const [one, two, three] = [numberOf(area_code), numberOf(area_code), numberOf(area_code)];
      await add({ ...one, phone_system_id: first.toUpperCase() }, { ...two, phone_system_id: first });
      // Only `two` gets another phone system, because `one` names none.
      expect(await add(one, { ...two, phone_system_id: second })).toMatchObject({ already_there: 2 });
      const { refused, added } = await add(
        { ...two, area_code: "1", phone_system_id: first },
        { ...three, phone_system_id: first.replace(/^.{8}/, "00000000") },
        { ...one, phone_system_id: "pbx" },
      );
      expect(added).toBe(0);
      expect(refused.map(({ reason }) => reason)).toEqual([
        ...["NUMBER_HAS_OTHER_AREA_CODE", "PHONE_SYSTEM_NOT_FOUND", "PHONE_SYSTEM_NOT_FOUND"],
      ]);
      const problem = "has the id of an unknown phone system: correct the id in the list";
      expect(refused[2]?.message).toBe(`${one.phone_number} ${problem}`);
      const { entries } = await service.api.listTrackingNumbers({ area_code });
      const systems = entries.map(({ phone_number, phone_system_id }) => [phone_number, phone_system_id]);
      expect(Object.fromEntries(systems)).toEqual({ [one.phone_number]: first, [two.phone_number]: second });
      const { entries: changes } = await service.api.listAuditEntries({ resource_id: two.phone_number });
      expect(changes).toMatchObject([
        { before: { phone_system_id: first }, after: { phone_system_id: second } },
        { before: null, after: { phone_system_id: first } },
      ]);
    });

    test("lists rejected numbers in the order of the request, and adds the others", async () => {
      const { number: original } = await newAccountWithNumber(service.api);
      const [area_code, other] = [ownAreaCode(), ownAreaCode()];
      const [known, retired] = await newNumbers(other, 2);
      await service.api.retireTrackingNumber({ phone_number: retired });
      const tracking_numbers = [retired, original, uniqueNumber(), known];
      expect(await add(...tracking_numbers.map((phone_number) => ({ phone_number, area_code })))).toEqual({
        added: 1,
        already_there: 0,
        refused: [
          {
            phone_number: retired,
            reason: "NUMBER_RETIRED",
            message: `${retired} is retired: use another number`,
          },
          {
            phone_number: original,
            reason: "NUMBER_IS_ORIGINAL",
            message: `${original} is registered as an original number: remove it from the list`,
          },
          {
            phone_number: known,
            reason: "NUMBER_HAS_OTHER_AREA_CODE",
            message: `${known} is in the inventory with area code ${other}: correct the area code in the list`,
          },
        ],
      });
    });

    test("accepts at most 10000 numbers", async () => {
      const area_code = ownAreaCode();
      const tracking_numbers = Array.from({ length: 10_001 }, (_, index) => ({
        phone_number: `+9${area_code}${String(index).padStart(7, "0")}`,
        area_code,
      }));
      const refusal = await requireRefusal(service.api.addTrackingNumbers({ tracking_numbers }));
      expect(refusal).toMatchObject(createInvalidFieldRefusal("tracking_numbers", "must contain 1 to 10000 numbers"));
      tracking_numbers.pop();
      expect(await service.api.addTrackingNumbers({ tracking_numbers })).toMatchObject({ added: 10_000 });
      expect(await service.api.countTrackingNumbers({ area_code })).toMatchObject([{ area_code, free: 10_000 }]);
      expect(await service.api.addTrackingNumbers({ tracking_numbers })).toMatchObject({ already_there: 10_000 });
    });

    test("counts each number once in concurrent additions in any order", async () => {
      const tracking_numbers = numbersOf(ownAreaCode(), 200);
      const orders = [tracking_numbers, tracking_numbers.toReversed()];
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => add(...(orders[index % 2] as object[]))),
      );
      expect(answers.map(({ added }) => added).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 200]);
      expect(answers.every(({ added, already_there }) => added + already_there === 200)).toBe(true);
    });

    test("reports all violations at once", async () => {
      const phone_number = uniqueNumber();
      const tracking_numbers = [
        { phone_number, area_code: "1" },
        { area_code: "1" },
        { phone_number: "12", area_code: "x" },
        { phone_number: uniqueNumber() },
        { phone_number, area_code: "2" },
      ];
      expect(await requireRefusedFields(add(...tracking_numbers))).toEqual([
        "tracking_numbers[1].phone_number",
        "tracking_numbers[2].area_code",
        "tracking_numbers[2].phone_number",
        "tracking_numbers[3].area_code",
        "tracking_numbers[4].area_code",
      ]);
      expect(await requireRefusedFields(add())).toEqual(["tracking_numbers"]);
    });
  });

  describe("ListTrackingNumbers", () => {
    test("pages through the numbers of an area code in the order of their digits", async () => {
      const area_code = ownAreaCode();
      const numbers = await newNumbers(area_code, 5);
      const listed = await readPages((page) => service.api.listTrackingNumbers({ area_code, page_size: 2, ...page }));
      expect(listed.map(({ phone_number }) => phone_number)).toEqual(numbers.toSorted());
    });

    test("rejects a page token from another list", async () => {
      const [one, two] = [ownAreaCode(), ownAreaCode()];
      await add(...numbersOf(one, 2), ...numbersOf(two, 2));
      const { nextPageToken } = await service.api.listTrackingNumbers({ area_code: one, page_size: 1 });
      for (const filter of [{ area_code: two }, { area_code: one, state: "free" }, {}]) {
        const refusal = await requireRefusal(
          service.api.listTrackingNumbers({ ...filter, page_size: 1, page_token: nextPageToken }),
        );
        expect(refusal).toMatchObject({ status: "INVALID_ARGUMENT", reason: "PAGE_TOKEN_INVALID" });
      }
    });

    test("lists and counts numbers in each state", async () => {
      const area_code = ownAreaCode();
      const [free = "", resting = "", assigned = "", retiring = "", retired = ""] = await newNumbers(area_code, 5);
      for (const number of [resting, assigned, retiring]) await assign(service, number);
      await inventoryCarrier.release(service.server.database.db, [resting], 3_600_000);
      await service.api.retireTrackingNumber({ phone_number: retiring });
      await service.api.retireTrackingNumber({ phone_number: retired });
      const byState = { free, resting, assigned, retiring, retired };
      for (const [state, phone_number] of Object.entries(byState)) {
        const { entries } = await service.api.listTrackingNumbers({ area_code, state });
        expect(entries).toMatchObject([{ phone_number, state }]);
        expect(entries[0]?.rests_until).toEqual(state === "resting" ? expect.stringMatching(TIMESTAMP) : null);
        const { entries: all } = await service.api.listTrackingNumbers({ state });
        expect(all.map((entry) => entry.phone_number)).toContain(phone_number);
        expect(new Set(all.map((entry) => entry.state))).toEqual(new Set([state]));
      }
      const counts = { area_code, free: 1, resting: 1, assigned: 1, retiring: 1, retired: 1 };
      expect(await service.api.countTrackingNumbers({ area_code })).toEqual([counts]);
      expect(await service.api.countTrackingNumbers()).toContainEqual(counts);
    });

    test("returns nothing for an area code without numbers", async () => {
      const area_code = ownAreaCode();
      expect(await service.api.listTrackingNumbers({ area_code })).toEqual({ entries: [], nextPageToken: "" });
      expect(await service.api.countTrackingNumbers({ area_code })).toEqual([]);
    });

    test("reports all invalid filters", async () => {
      const call = service.api.listTrackingNumbers({ area_code: "x", state: "unspecified", page_size: 0 });
      expect(await requireRefusedFields(call)).toEqual(["area_code", "page_size", "state"]);
      expect(await requireRefusedFields(service.api.countTrackingNumbers({ area_code: "123456" }))).toEqual([
        "area_code",
      ]);
    });
  });

  describe("RetireTrackingNumber", () => {
    test("retires a free number immediately, and only once", async () => {
      const number = numberOf(ownAreaCode());
      const { phone_number } = number;
      await add(number);
      const retired = await service.api.retireTrackingNumber({ phone_number });
      expect(retired).toMatchObject({ ...number, state: "retired", account_id: null });
      expect(await service.api.retireTrackingNumber({ phone_number })).toEqual(retired);
    });

    test("retires an assigned number when it is released, and keeps its last holder", async () => {
      const [phone_number = ""] = await newNumbers(ownAreaCode(), 1);
      await assign(service, phone_number);
      const retiring = await service.api.retireTrackingNumber({ phone_number });
      expect(retiring).toMatchObject({ state: "retiring", account_id: 1, call_tracker_id: expect.any(String) });
      expect(await service.api.retireTrackingNumber({ phone_number })).toEqual(retiring);
      await inventoryCarrier.release(service.server.database.db, [phone_number], 0);
      expect(await service.api.retireTrackingNumber({ phone_number })).toEqual({
        ...retiring,
        state: "retired",
        updated_at: expect.stringMatching(TIMESTAMP),
      });
    });

    test("returns not found for a number outside the inventory", async () => {
      const phone_number = uniqueNumber();
      expect(await requireRefusal(service.api.retireTrackingNumber({ phone_number }))).toMatchObject({
        status: "NOT_FOUND",
        reason: "TRACKING_NUMBER_NOT_FOUND",
        message: `tracking number "${phone_number}" not found: check the number, or add it to the inventory first`,
      });
      expect(await requireRefusedFields(service.api.retireTrackingNumber({ phone_number: "12" }))).toEqual([
        "phone_number",
      ]);
    });
  });

  describe("an original number", () => {
    test("can be registered only if it is not in the inventory or is retired", async () => {
      const { account_token: account_id } = await newAccount(service.api);
      const [phone_number = ""] = await newNumbers(ownAreaCode(), 1);
      const register = () => service.api.createPhoneNumber({ account_id, phone_number });
      const refusal = {
        status: "FAILED_PRECONDITION",
        reason: "PHONE_NUMBER_IS_TRACKING_NUMBER",
        message: `"${phone_number}" is a tracking number in the inventory, so calls to it would loop: use another number`,
      };
      expect(await requireRefusal(register())).toMatchObject(refusal);
      await assign(service, phone_number);
      expect(await requireRefusal(register())).toMatchObject(refusal);
      await service.api.retireTrackingNumber({ phone_number });
      expect(await requireRefusal(register())).toMatchObject(refusal);
      await inventoryCarrier.release(service.server.database.db, [phone_number], 0);
      expect(await register()).toMatchObject({ phone_number });
    });

    test("is never also in the inventory, whichever request comes first", async () => {
      const { account_token: account_id } = await newAccount(service.api);
      const numbers = numbersOf(ownAreaCode(), 40);
      const outcomes = await Promise.all(
        numbers.map(async (number) => {
          const [added, registered] = await Promise.all([
            add(number),
            service.api.createPhoneNumber({ account_id, phone_number: number.phone_number }).then(
              () => 1,
              () => 0,
            ),
          ]);
          return added.added + registered;
        }),
      );
      expect(outcomes).toEqual(numbers.map(() => 1));
    });
  });
});

describeOnEngines("ImportTrackingNumbers", (service) => {
  test("adds the numbers of each message, and sums the results", async () => {
    const area_code = ownAreaCode();
    const numbers = numbersOf(area_code, 30);
    const { number: original } = await newAccountWithNumber(service.clients.grpc);
    const batches = [numbers.slice(0, 20), numbers.slice(10), [{ phone_number: original, area_code }]];
    expect(await importNumbers(service.server.port, batches)).toMatchObject({
      added: 30,
      already_there: 10,
      refused: [{ phone_number: original, reason: "NUMBER_IS_ORIGINAL" }],
    });
    expect((await service.clients.grpc.listTrackingNumbers({ area_code })).entries).toHaveLength(30);
  });

  test("returns zero counts for an empty stream", async () => {
    expect(await importNumbers(service.server.port, [])).toEqual({ added: 0, already_there: 0, refused: [] });
  });

  test("stops at an invalid message, and keeps earlier numbers", async () => {
    const area_code = ownAreaCode();
    const numbers = numbersOf(area_code, 2);
    const call = importNumbers(service.server.port, [numbers, [{ phone_number: "12", area_code }]]);
    await expect(call).rejects.toThrow("tracking_numbers[0].phone_number must be a phone number");
    expect((await service.clients.grpc.listTrackingNumbers({ area_code })).entries).toHaveLength(2);
  });

  test("lists only the first 10000 rejected numbers", async () => {
    const area_code = ownAreaCode();
    const other = ownAreaCode();
    const batches = Array.from({ length: 3 }, (_, batch) =>
      Array.from({ length: 4000 }, (_, index) => ({
        phone_number: `+8${area_code}${String(batch * 4000 + index).padStart(7, "0")}`,
        area_code,
      })),
    );
    expect(await importNumbers(service.server.port, batches)).toMatchObject({ added: 12_000, refused: [] });
    const moved = batches.map((batch) => batch.map((number) => ({ ...number, area_code: other })));
    const answer = (await importNumbers(service.server.port, moved)) as { refused: object[] };
    expect(answer).toMatchObject({ added: 0, already_there: 0 });
    expect(answer.refused).toHaveLength(10_000);
  });
});

/** Streams batches of numbers to ImportTrackingNumbers, one message for each batch. */
function importNumbers(port: number, batches: readonly (readonly object[])[]): Promise<object> {
  const { path, requestSerialize, responseDeserialize } = getApiMethodDefinition(
    "InventoryService",
    "ImportTrackingNumbers",
  );
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  return new Promise<object>((resolve, reject) => {
    const call = client.makeClientStreamRequest(path, requestSerialize, responseDeserialize, (error, answer) =>
      error === null ? resolve(answer ?? {}) : reject(error),
    );
    for (const tracking_numbers of batches) call.write({ tracking_numbers });
    call.end();
  }).finally(() => client.close());
}
