import { describe, expect, test } from "vitest";
import { createNumberDisplay, type NumbersResponse, type ShownNumber } from "./number-display.js";

const DAY_SECONDS = 86_400;

const START = Date.UTC(2026, 10, 25);

function pair(original: string, number: string, show_for_seconds = DAY_SECONDS): ShownNumber {
  return { original_number: original, number, show_for_seconds };
}

const GOOGLE = pair("+1", "+15");
const OTHER = pair("+2", "+25");

/** A tab and its page, with a clock that only `wait` advances. */
class TestPage {
  visit: { answer?: NumbersResponse } = {};
  visible: readonly string[] = [];
  requests = 0;
  swaps = 0;
  /** The numbers in the server's response; undefined if the server is unreachable. */
  response: readonly ShownNumber[] | undefined;
  failure: unknown = new Error("unreachable");
  #now = START;
  #update = () => {};

  /** Opens a tab and a page. The server responds with these numbers. */
  static async open(...response: ShownNumber[]): Promise<TestPage> {
    const page = new TestPage();
    page.response = response;
    await page.open();
    return page;
  }

  /** Opens a page in the tab. The page's first request gets a response unless `isSlow` is true. */
  async open(isSlow = false): Promise<void> {
    this.visible = [];
    this.#update = createNumberDisplay(this.visit, {
      fetchNumbers: async () => {
        this.requests++;
        if (isSlow) return new Promise(() => {});
        if (this.response === undefined) throw this.failure;
        return this.response;
      },
      swap: (pairs) => {
        this.swaps++;
        this.visible = pairs.map(({ number }) => number);
      },
      now: () => this.#now,
      save: () => {},
    });
    await this.update();
  }

  async update(): Promise<void> {
    this.#update();
    await new Promise(setImmediate);
  }

  /** Advances the clock, and updates the page every second unless the computer sleeps. */
  async wait(seconds: number, isAsleep = false): Promise<void> {
    for (let second = 0; second < seconds; second += isAsleep ? seconds : 1) {
      this.#now += (isAsleep ? seconds : 1) * 1000;
      await this.update();
    }
  }
}

describe("a page", () => {
  test("shows the numbers of the response", async () => {
    const page = await TestPage.open(GOOGLE);
    expect(page.visible).toEqual(["+15"]);
  });

  test("shows stored numbers immediately if they are younger than 30 s, and keeps them if new ones are added", async () => {
    const page = await TestPage.open(GOOGLE);
    await page.wait(29);
    page.response = [OTHER, GOOGLE];
    await page.open(true);
    expect(page.visible).toEqual(["+15"]);
    await page.open();
    expect(page.visible).toEqual(["+15"]);
    await page.open();
    expect(page.visible).toEqual(["+25", "+15"]);
  });

  test("shows stored numbers that are 30 s old only if the response contains them", async () => {
    const page = await TestPage.open(GOOGLE);
    page.response = undefined;
    await page.wait(30);
    await page.open();
    expect(page.visible).toEqual([]);
    page.response = [GOOGLE];
    await page.open();
    expect(page.visible).toEqual(["+15"]);
  });

  test.each([
    ["the original number", []],
    ["another number", [pair("+1", "+16")]],
  ])("shows %s as soon as a response lacks the visible number", async (_, response) => {
    const page = await TestPage.open(GOOGLE);
    page.response = response;
    await page.wait(29);
    expect(page.visible).toEqual(["+15"]);
    await page.wait(1);
    expect(page.visible).toEqual(response.map(({ number }) => number));
  });

  test("requests numbers immediately and then every 30 s", async () => {
    const page = await TestPage.open(GOOGLE);
    expect(page.requests).toBe(1);
    await page.wait(59);
    expect(page.requests).toBe(2);
  });

  test("retries a failed request after 3 s and then with growing pauses, and requests every 30 s after a response", async () => {
    const page = await TestPage.open();
    page.response = undefined;
    await page.wait(30);
    expect(page.requests).toBe(2);
    for (const seconds of [3, 6, 12, 24, 30, 30]) {
      const { requests } = page;
      await page.wait(seconds - 1);
      expect(page.requests).toBe(requests);
      await page.wait(1);
      expect(page.requests).toBe(requests + 1);
    }
    page.response = [GOOGLE];
    await page.wait(30);
    const { requests } = page;
    page.response = undefined;
    await page.wait(30);
    expect(page.requests).toBe(requests + 1);
    await page.wait(3);
    expect(page.requests).toBe(requests + 2);
  });

  test.each([
    ["60", 60],
    ["2", 3],
    ["Mon, 30 Nov 2026 08:30:00 GMT", 3],
    [null, 3],
  ])(
    "retries after the Retry-After of the response, but at the earliest after 3 s: %j",
    async (retryAfter, seconds) => {
      const page = await TestPage.open();
      page.response = undefined;
      page.failure = retryAfter;
      await page.wait(30);
      const { requests } = page;
      await page.wait(seconds - 1);
      expect(page.requests).toBe(requests);
      await page.wait(1);
      expect(page.requests).toBe(requests + 1);
    },
  );

  test("shows a number until it expires if the server is unreachable, and again after the next response", async () => {
    const page = await TestPage.open(pair("+1", "+15", 100), OTHER);
    page.response = undefined;
    await page.wait(99);
    expect(page.visible).toEqual(["+15", "+25"]);
    await page.wait(1);
    expect(page.visible).toEqual([]);
    page.response = [GOOGLE];
    await page.wait(30);
    expect(page.visible).toEqual(["+15"]);
  });

  test("shows no number that expired while the computer slept", async () => {
    const page = await TestPage.open(GOOGLE);
    page.response = undefined;
    await page.wait(33 * DAY_SECONDS, true);
    expect(page.visible).toEqual([]);
  });

  test("shows a number of unknown lifetime until the next response, but never if it is stored", async () => {
    const page = await TestPage.open(pair("+1", "+15", 0));
    await page.wait(10);
    expect(page.visible).toEqual(["+15"]);
    expect(page.requests).toBe(4);
    page.response = undefined;
    await page.wait(6);
    expect(page.visible).toEqual([]);
    await page.open();
    expect(page.visible).toEqual([]);
  });

  test("requests numbers with a short lifetime long before they expire, so that they stay visible", async () => {
    const page = await TestPage.open(pair("+1", "+15", 10));
    await page.wait(20);
    expect(page.requests).toBe(5);
    expect(page.swaps).toBe(1);
  });
});
