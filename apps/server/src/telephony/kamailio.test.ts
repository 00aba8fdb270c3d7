import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { findFreePort } from "@calltrack/postgres/testing/find-free-port";
import { describe, type ExpectStatic, test } from "vitest";
import type { CallJson } from "../testing/api-client.js";
import { createJsonClient } from "../testing/json-client.js";
import { HAS_KAMAILIO, OWN_HOST, startKamailio } from "../testing/kamailio.js";
import { createProxiedDatabase } from "../testing/proxied-database.js";
import { newAccount } from "../testing/request-fields.js";
import { startServerProcess } from "../testing/server-process.js";
import { startSipPhones } from "../testing/sip-phones.js";
import { trackNumber } from "../testing/track-number.js";
import { startWebhookProxy, type WebhookProxy } from "../testing/webhook-proxy.js";

/** The number that rings for calls to unknown numbers. */
const RECEPTION = "+12125550101";

/** The numbers of businesses. Their last digits determine how the phones behave: see sip-phones.ts. */
const ANSWERS = "+12125550100";
const LIMITED = "+12125550102";
const WITHHELD = "+12125550103";
const REDIRECTS = "+12125550185";
const BUSY = "+12125550186";
const SILENT = "+12125550187";
const SILENT_FOR_LONG = "+12125551187";

/** The number of calls that end at the same time. Concurrent responses from phones have kept Kamailio from reporting some of the calls. */
const LIMITED_CALLS = 20;

/** The number of calls that three phones answer at the same time. */
const RACES = 10;

/** A caller whose URI has a different form than those of other callers: a `tel` URI, or a URI with the host `anonymous.invalid`. */
const CALLER = "+14155559999";

const HOST = "127.0.0.2";

const FOLDER = createFolder();

/**
 * The time for which Kamailio waits for Calltrack. On a busy machine, Calltrack may respond too late for the default, and another number would ring.
 */
const PATIENT_SECONDS = 20;

/** How long Calltrack or its database does not respond. */
const OUTAGE_SECONDS = 15;
const CALLS_PER_SECOND = 4;

interface SystemOptions {
  /** How long Kamailio waits for Calltrack. Default: 2. */
  readonly answerSeconds?: number;
  readonly trunk?: string;
  /** Whether a proxy in front of Calltrack turns each minute of `max_minutes` into a second. */
  readonly isProxied?: boolean;
}

/**
 * @param expect the `expect` of the running test, because several tests run concurrently.
 */
async function startPhoneSystem(expect: ExpectStatic, { answerSeconds, trunk, isProxied = false }: SystemOptions = {}) {
  const own = new AsyncDisposableStack();
  const folder = await mkdtemp(join(FOLDER, "sip-"));
  const { proxy: database, ...location } = await createProxiedDatabase();
  own.defer(() => database.close());
  const port = await findFreePort();
  const environment = {
    ...location.environment,
    ...{ DATA_DIR: join(folder, "data"), PORT: String(port) },
    // No connection from this machine uses `HOST` as its source address, so none takes the port while the server restarts.
    ...{ HOST, PUBLIC_URL: `http://${HOST}:${port}`, PASS_INTERVAL: "1s", LOG_LEVEL: "warn" },
  };
  let server = await startServerProcess(environment);
  own.defer(() => server[Symbol.asyncDispose]());
  const api = () => createJsonClient(server.url);
  const owner = await newAccount(api());
  const { phone_system, api_key } = await api().createPhoneSystem({
    ...{ name: "Kamailio", kind: "sip", fallback_number: RECEPTION },
    ...{ allowed_prefixes: ["+1"], allowed_sip_hosts: ["127.0.0.1"] },
  });
  const proxy = isProxied ? own.use(await startWebhookProxy(server.url)) : undefined;
  const network = own.use(
    await startKamailio(folder, {
      calltrackUrl: `${proxy?.url ?? server.url}/telephony/${phone_system.id}`,
      ...{ answerSeconds, trunk },
      key: api_key as string,
      fallbackNumber: RECEPTION,
    }),
  );
  return {
    network,
    database,
    /** Makes the proxy close connections without a response (`isAway`), or respond like an earlier version of Calltrack (`isOld`). */
    setWebhooks: (mode: Partial<Pick<WebhookProxy, "isAway" | "isOld">>) => Object.assign(proxy ?? {}, mode),
    get server() {
      return server;
    },
    /** Starts Calltrack again after it was killed. */
    async restart() {
      server = await startServerProcess(environment);
    },
    /**
     * Creates a pool for a business's number, and returns the tracking number of its source after the server has cached the route. Without a cached
     * route, the reception would ring if the database is slow.
     */
    async track(number: string, flow?: object) {
      const tracked = await trackNumber(api(), owner, number, flow === undefined ? {} : { flow });
      const headers = { authorization: `Bearer ${api_key}` };
      const ask = async () => {
        // The request has no call id, so Calltrack does not record a call.
        const request = { method: "POST", headers, body: new URLSearchParams({ to: tracked }) };
        return await (await fetch(`${server.url}/telephony/${phone_system.id}/voice`, request)).json();
      };
      await expect.poll(ask).not.toMatchObject({ destination: RECEPTION });
      return tracked;
    },
    /** Waits until the account has `count` calls and all have ended, and returns them, oldest first. */
    async listEnded(count: number) {
      let calls: readonly CallJson[] = [];
      const countOutcomes = async () => {
        calls = (await api().listCalls({ account_id: owner.account_token })).entries;
        const ended = calls.filter(({ outcome }) => outcome !== "in_progress");
        return { calls: calls.length, ended: ended.length };
      };
      // Polls less often than by default, because each poll lists hundreds of calls, which delays the recording of the remaining calls.
      await expect.poll(countOutcomes, { interval: 1000 }).toEqual({ calls: count, ended: count });
      return calls.toReversed();
    },
    [Symbol.asyncDispose]: () => own.disposeAsync(),
  };
}

let callers = 0;

/** Returns calls from different callers to a number. */
function callsTo(number: string, count = 1): (readonly [string, string])[] {
  return Array.from(
    { length: count },
    () => [`sip:+1415555${String(++callers).padStart(4, "0")}@${HOST}`, number] as const,
  );
}

/** CI installs Kamailio and SIPp: if one is missing there, the tests fail instead of being skipped. */
const isSkipped = !HAS_KAMAILIO && process.env.CI !== "true";

describe
  .skipIf(isSkipped)
  .concurrent(
    !isSkipped ? "calls through Kamailio" : "calls through Kamailio: skipped, as kamailio or sipp is not installed",
    () => {
      test("end when and where they should, and are recorded with their outcome and source", async ({ expect }) => {
        await using system = await startPhoneSystem(expect, { answerSeconds: PATIENT_SECONDS });
        const { network, track } = system;
        const answers = await track(ANSWERS);
        const redirects = await track(REDIRECTS);
        const busy = await track(BUSY, { caller_id: "tracking_number" });
        const silent = await track(SILENT, { ring_seconds: 5, fallback_number: ANSWERS });
        const silentForLong = await track(SILENT_FOR_LONG, { ring_seconds: 60 });
        const closed = await track("+12125550110", {
          hours: closedToday(),
        });
        await network.call("caller", callsTo("+19998887777"));
        await Promise.all([
          network.call("caller", callsTo(answers)),
          network.call("caller", callsTo(redirects)),
          network.call("caller", callsTo(busy)),
          network.call("caller", callsTo(silent)),
          network.call("impatient-caller", callsTo(silentForLong)),
          network.call("caller", callsTo(closed)),
        ]);
        // While Calltrack is stopped, the next caller hangs up before Calltrack responds.
        system.server.kill("SIGSTOP");
        await network.call("impatient-caller", callsTo(answers));
        system.server.kill("SIGCONT");
        const calls = await system.listEnded(7);
        const outcomes = calls.map(({ tracking_number, outcome, source }) => `${tracking_number} ${outcome} ${source}`);
        expect(outcomes.toSorted()).toEqual(
          [
            `${answers} answered google`,
            `${answers} abandoned google`,
            `${redirects} failed google`,
            `${busy} busy google`,
            `${silent} answered google`,
            `${silentForLong} abandoned google`,
            `${closed} missed google`,
          ].toSorted(),
        );
        const rung = [ANSWERS, REDIRECTS, BUSY, SILENT, SILENT_FOR_LONG, ANSWERS, RECEPTION];
        expect(network.listRung().toSorted()).toEqual(rung.toSorted());
        expect(network.listShown(BUSY)).toEqual(new Set([`sip:${busy}@${OWN_HOST}`]));
        // A late copy of a request, from a network or a busy machine, does not ring again.
        expect(await network.request("INVITE", answers, [], { lateMs: 7000 })).toBe(200);
        expect(network.listRung().length).toBe(rung.length + 1);
        // While Kamailio is stopped, callers' phones repeat their requests. Kamailio reads all of these requests at once when it continues.
        const calling = network.call("caller", callsTo(answers, 60), 60);
        await expect.poll(() => network.listRung().length).toBe(rung.length + 1 + 60);
        network.kill("SIGSTOP");
        await pause(2000);
        network.kill("SIGCONT");
        await calling;
      });

      test("are reported when Calltrack was killed in the middle and is started again", async ({ expect }) => {
        await using system = await startPhoneSystem(expect, { answerSeconds: PATIENT_SECONDS });
        const number = await system.track(ANSWERS);
        // This call makes Kamailio cache the destination of calls to the number.
        await system.network.call("caller", callsTo(number));
        const calling = system.network.call("caller", callsTo(number, 10), 5);
        await pause(1500);
        await system.server.stop("SIGKILL");
        await calling;
        // Without Calltrack, Kamailio itself must recognize a withheld number.
        // Trunks write numbers with a plus sign or without.
        await system.network.call("caller", [[`sip:${CALLER}@anonymous.invalid`, number.slice(1)]]);
        const shown = system.network.listShown(ANSWERS);
        expect([shown.has(`sip:${number.slice(1)}@${OWN_HOST}`), shown.has(`sip:${CALLER}@${OWN_HOST}`)]).toEqual([
          true,
          false,
        ]);
        await system.restart();
        const ended = await system.listEnded(12);
        expect(ended.map(({ outcome, source }) => `${outcome} ${source}`)).toEqual(Array(12).fill("answered google"));
        expect(system.network.listRung().length).toBe(12);
      });

      test("get a response to every request, and are recorded only if they can be made", async ({ expect }) => {
        await using system = await startPhoneSystem(expect, { answerSeconds: PATIENT_SECONDS, trunk: "trunk.invalid" });
        const { network, track } = system;
        const number = await track(ANSWERS);
        expect(await network.request("INVITE", "+19998887777", [])).toBe(503);
        expect(await network.request("INVITE", number, [], { from: '"Anna <sip:+14155550100@127.0.0.1;tag=1' })).toBe(
          400,
        );
        expect(await network.request("REFER", number, ["Refer-To: <sip:+19005550100@127.0.0.1>"])).toBe(603);
        const identities = ["<sip:anna@127.0.0.1>", `<tel:${number}>`].map((each) => `P-Asserted-Identity: ${each}`);
        expect(await network.request("INVITE", number, identities)).toBe(486);
        expect(await network.request("INVITE", number, [])).toBe(503);
        const calls = await system.listEnded(2);
        expect(calls.map(({ outcome, reject_reason }) => [outcome, reject_reason])).toEqual([
          ["failed", "LOOP"],
          ["failed", null],
        ]);
      });

      test("ring the numbers of each step at once, and are recorded with the number that answered", async ({
        expect,
      }) => {
        await using system = await startPhoneSystem(expect, { answerSeconds: PATIENT_SECONDS, isProxied: true });
        const { network, track, setWebhooks } = system;
        await using mailbox = await startSipPhones();
        const sip_uri = `sip:voicemail@127.0.0.1:${mailbox.port};transport=udp`;
        const [group, crowd, stepwise, missed, busy, many, closed, message] = await Promise.all([
          track(phone(87), { steps: [atOnce(phone(182), phone(187))] }),
          track(phone(10), { steps: [atOnce(phone(11), phone(12))] }),
          track(phone(84), { steps: [briefly(atOnce(phone(85), phone(86))), stepOf(phone(83), phone(282))] }),
          track(phone(185), { steps: [atOnce(phone(183)), briefly(stepOf(phone(286), phone(88), phone(185)))] }),
          track(phone(285), { steps: [atOnce(phone(183), phone(386))] }),
          track(phone(1086), {
            steps: [
              atOnce(),
              ...[11, 21, 31, 41].map((first) =>
                stepOf(...Array.from({ length: 10 }, (_, i) => phone((first + i) * 100 + 86))),
              ),
              stepOf(phone(382)),
            ],
          }),
          track(phone(20), { hours: closedToday(), closed_steps: [stepOf(phone(21))] }),
          track(phone(586), { steps: [atOnce(), { targets: [{ sip_uri }], ring_seconds: 60 }] }),
        ]);
        await Promise.all([
          network.call("caller", callsTo(group)),
          network.call("caller", callsTo(crowd, RACES)),
          network.call("caller", callsTo(stepwise)),
          network.call("caller", callsTo(missed)),
          network.call("caller", callsTo(busy)),
          network.call("caller", callsTo(many)),
          network.call("impatient-caller", callsTo(many)),
          network.call("caller", callsTo(closed)),
          network.call("caller", callsTo(message)),
        ]);
        const calls = await system.listEnded(RACES + 8);
        const outcomes = calls.map(({ tracking_number, outcome, answered_by }) =>
          tracking_number === crowd ? `${crowd} ${outcome}` : `${tracking_number} ${outcome} ${answered_by}`,
        );
        expect(outcomes.toSorted()).toEqual(
          [
            `${group} answered ${phone(182)}`,
            ...Array.from({ length: RACES }, () => `${crowd} answered`),
            `${stepwise} answered ${phone(282)}`,
            `${missed} missed null`,
            `${busy} busy null`,
            `${many} answered ${phone(382)}`,
            `${many} abandoned null`,
            `${closed} answered ${phone(21)}`,
            `${message} answered ${sip_uri}`,
          ].toSorted(),
        );
        // The other phones stop ringing. If another phone also answers, or a phone answers too late, Kamailio ends its leg.
        const canceled = ["INVITE", "CANCEL", "ACK"];
        const answered = ["INVITE", "ACK", "BYE"];
        expect([87, 182, 187].map((digits) => network.listMethods(phone(digits)))).toEqual([
          canceled,
          answered,
          canceled,
        ]);
        // A repeated answer gets its own ACK.
        await expect.poll(() => [...new Set(network.listMethods(phone(84)))]).toEqual([...canceled, "BYE"]);
        for (const number of [phone(10), phone(11), phone(12)]) {
          await expect.poll(() => network.countHangups(number)).toBe(RACES);
          expect(network.listMethods(number).filter((method) => method === "INVITE")).toHaveLength(RACES);
        }
        const shown = [182, 84, 282, 88, 382].flatMap((digits) => [...network.listShown(phone(digits))]);
        expect(shown.filter((uri) => !uri.endsWith(`@${OWN_HOST}`))).toEqual([]);
        // Without Calltrack, Kamailio rings the cached destinations of open businesses, including destinations from an earlier version of Calltrack.
        const old = await track(phone(486), { fallback_number: phone(30) });
        setWebhooks({ isOld: true });
        await network.call("caller", callsTo(old));
        setWebhooks({ isAway: true });
        const rungBefore = network.listRung().length;
        await Promise.all([group, old, closed].map((number) => network.call("caller", callsTo(number))));
        const rung = [phone(87), phone(182), phone(187), phone(486), phone(30), RECEPTION];
        expect(network.listRung().slice(rungBefore).toSorted()).toEqual(rung.toSorted());
        setWebhooks({ isOld: false, isAway: false });
        // Calltrack does not know which numbers Kamailio dialed while Calltrack was unavailable.
        const later = (await system.listEnded(RACES + 12)).slice(RACES + 8);
        expect(later.map(({ outcome, answered_by }) => `${outcome} ${answered_by}`).toSorted()).toEqual(
          [`answered ${phone(30)}`, "answered null", "answered null", "answered null"].toSorted(),
        );
      });

      test("ring while Calltrack is stopped or the database is stalled, and are recorded afterwards", async ({
        expect,
      }) => {
        await using system = await startPhoneSystem(expect);
        const { server, database } = system;
        const number = await system.track(ANSWERS);
        await system.network.call("caller", callsTo(number));
        let count = 1;
        const makeCalls = async () => {
          const added = OUTAGE_SECONDS * CALLS_PER_SECOND;
          await system.network.call("caller", callsTo(number, added), CALLS_PER_SECOND);
          count += added;
          return new Date();
        };
        const expectCalls = async (resumedAt: Date) => {
          for (const call of await system.listEnded(count)) {
            expect(call).toMatchObject({ outcome: "answered", source: "google" });
            // Callers talk for a second. The recorded times do not depend on when a stopped server reads its requests.
            expect(call.duration_seconds).toBeGreaterThanOrEqual(1);
            expect(new Date(call.ended_at as string) <= resumedAt).toBe(true);
          }
        };
        server.kill("SIGSTOP");
        let resumedAt = await makeCalls();
        server.kill("SIGCONT");
        await expectCalls(resumedAt);
        database.hold();
        resumedAt = await makeCalls();
        database.release();
        await expectCalls(resumedAt);
      });
    },
  );

/** Returns a business's number whose last digits determine the behavior of its phone. */
function phone(digits: number): string {
  return `+1212555${String(digits).padStart(4, "0")}`;
}

/** Returns a step of a call flow that rings the business's number and others. */
function atOnce(...numbers: readonly string[]) {
  const others = stepOf(...numbers);
  return { ...others, targets: [{ original: true }, ...others.targets] };
}

/** Returns a step of a call flow that rings numbers. On a busy machine, phones need time to answer. */
function stepOf(...numbers: readonly string[]) {
  return { targets: numbers.map((phone_number) => ({ phone_number })), ring_seconds: 60 };
}

/** Returns a step that rings for the shortest time: nobody answers it. */
function briefly(step: object) {
  return { ...step, ring_seconds: 5 };
}

/** Returns opening hours on a day that is neither today nor tomorrow in any time zone. */
function closedToday() {
  const days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
  const day = days[(new Date().getUTCDay() + 3) % 7] as string;
  return { time_zone: "UTC", periods: [{ days: [day], opens: "09:00", closes: "10:00" }] };
}

// Not concurrent with the other tests: another phone system would delay their calls too much.
test.skipIf(isSkipped)(
  "calls through Kamailio end after max_minutes, and never show a withheld number",
  async ({ expect }) => {
    await using system = await startPhoneSystem(expect, { answerSeconds: PATIENT_SECONDS, isProxied: true });
    const { network, track } = system;
    const limited = await track(LIMITED, { max_minutes: 5 });
    const withheld = await track(WITHHELD, { max_minutes: 5 });
    await Promise.all([
      network.call("talkative-caller", [...callsTo(limited, LIMITED_CALLS - 1), [`tel:${CALLER}`, limited]], 100),
      network.call("talkative-caller", [[`sip:${CALLER}@anonymous.invalid`, withheld]]),
    ]);
    const calls = await system.listEnded(LIMITED_CALLS + 1);
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array(LIMITED_CALLS + 1).fill("answered"));
    // The BYE requests with which Kamailio ends the calls also count as hangups.
    await expect.poll(() => network.countHangups(LIMITED)).toBe(LIMITED_CALLS);
    expect(network.listShown(LIMITED)).toContain(`sip:${CALLER}@${OWN_HOST}`);
    expect(network.listShown(LIMITED).size).toBe(LIMITED_CALLS);
    await expect.poll(() => network.countHangups(WITHHELD)).toBe(1);
    expect(network.listShown(WITHHELD)).toEqual(new Set([`sip:${withheld}@${OWN_HOST}`]));
  },
);
