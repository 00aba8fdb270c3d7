import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { CallJson } from "../testing/api-client.js";
import { describeBehavior } from "../testing/behavior.js";
import { type Form, listAttributeValues, newPbx, PUBLIC_URL } from "../testing/phone-system-client.js";
import { PROVIDER_REQUESTS, signLikeSignalWire, signLikeTelnyx, signLikeTwilio } from "../testing/provider-requests.js";
import { uniqueNumber, uniqueToken } from "../testing/request-fields.js";
import { newTrackedPool } from "../testing/tracked-pool.js";
import { waitForReports } from "../testing/wait-for-reports.js";

type Kind = keyof typeof PROVIDER_REQUESTS;

/** How many calls each provider makes, and in how many orders the reports about each call arrive. */
const CALLS = Number(process.env.REPORTED_CALLS ?? 4);
const ORDERS = Number(process.env.REPORT_ORDERS ?? 4);

const SECRET = "0123456789abcdef0123456789abcdef";
const { privateKey, publicKey } = generateKeyPairSync("ed25519");

const PROVIDERS: Readonly<Record<Kind, { fields: object; sign: (url: string, form: Form) => Form }>> = {
  twilio: {
    fields: { account_sid: PROVIDER_REQUESTS.twilio.voice.AccountSid, secret: SECRET },
    sign: (url, form) => signLikeTwilio(SECRET, url, form),
  },
  signalwire: {
    fields: { account_sid: PROVIDER_REQUESTS.signalwire.voice.AccountSid, secret: SECRET },
    sign: (url, form) => signLikeSignalWire(SECRET, url, form),
  },
  telnyx: {
    fields: { secret: Buffer.from(publicKey.export({ format: "jwk" }).x as string, "base64url").toString("base64") },
    sign: (_, form) => signLikeTelnyx(privateKey, new URLSearchParams(form).toString(), new Date()),
  },
};

/** The true course of a call. Times are whole seconds, because providers report no fractions. */
interface TrueCall {
  readonly rang: number;
  /** The seconds from the answer to the end; undefined if nobody answered. */
  readonly talked: number | undefined;
  /** The status of the dial that nobody answered. */
  readonly status: "no-answer" | "busy" | "failed" | "canceled";
}

const trueCall: fc.Arbitrary<TrueCall> = fc.record({
  rang: fc.integer({ min: 1, max: 60 }),
  talked: fc.option(fc.integer({ min: 1, max: 3000 }), { nil: undefined, freq: 2 }),
  status: fc.constantFrom("no-answer", "busy", "failed", "canceled"),
});

/** Generates orders of reports, as lists of their indexes. Some reports arrive twice. */
function ordersOf(reports: number): fc.Arbitrary<number[][]> {
  const order = fc
    .array(fc.nat(reports - 1), { minLength: 0, maxLength: 3 })
    .chain((again) => fc.shuffledSubarray([...Array(reports).keys(), ...again], { minLength: reports + again.length }));
  return fc.array(order, { minLength: ORDERS, maxLength: ORDERS });
}

/** The number of reports about a call. Reports from a provider do not include the voice request. Reports from a PBX include it. */
const [PROVIDER_REPORTS, PBX_REPORTS] = [5, 3];

const SIP_STATUSES = { "no-answer": "480", busy: "486", failed: "503", canceled: "487" };
const OUTCOMES = { "no-answer": "missed", busy: "busy", failed: "failed", canceled: "abandoned" };

/** An hour ago, rounded down to a second. */
const BEGIN = Math.floor(Date.now() / 1000) * 1000 - 3_600_000;

/** Returns a time as a provider writes it. */
function timeOf(kind: Kind, seconds: number): string {
  const date = new Date(BEGIN + seconds * 1000);
  return kind === "telnyx" ? date.toISOString() : date.toUTCString().replace("GMT", "+0000");
}

/** Returns the reports about a call after its voice request, in order, each with its kind. */
function reportsOf(
  kind: Kind,
  { rang, talked, status }: TrueCall,
): readonly (readonly ["leg" | "dial" | "caller", Form])[] {
  const { dialedLeg, dial, callerLeg } = PROVIDER_REQUESTS[kind];
  const end = rang + (talked ?? 0);
  const [ended, duration] = [talked === undefined ? status : "completed", String(talked ?? 0)];
  const answered = { CallStatus: talked === undefined ? "ringing" : "in-progress", SequenceNumber: "1" };
  const { CallDuration: _, AnsweredTime: __, ...leg } = dialedLeg as Form;
  const over = {
    ...{ ...leg, CallStatus: ended, CallDuration: duration, SequenceNumber: "2", Timestamp: timeOf(kind, end) },
    ...(kind === "telnyx" && talked !== undefined && { AnsweredTime: timeOf(kind, rang) }),
  };
  const result = { ...dial, DialCallStatus: ended, DialCallDuration: duration };
  const gone = {
    ...{ ...callerLeg, CallDuration: String(end + 2), SequenceNumber: "3" },
    // The caller's leg ends two seconds after the dialed leg. SignalWire's `Timestamp` is the time when the call was created.
    Timestamp: timeOf(kind, kind === "signalwire" ? 0 : end + 2),
  };
  return [
    ["leg", { ...leg, CallStatus: "ringing", SequenceNumber: "0", Timestamp: timeOf(kind, 1) }],
    ["leg", { ...leg, ...answered, Timestamp: timeOf(kind, rang) }],
    ["leg", over],
    ["dial", result],
    ["caller", gone],
  ];
}

describeBehavior("the reports about a call", (service) => {
  test.each(Object.keys(PROVIDERS) as Kind[])("from %s have the same result in every order", async (kind) => {
    const api = service.clients.json;
    const pool = await newTrackedPool({ api, server: service.server }, { visits: { "google / cpc": 1000 } });
    const number = pool.trackers.find(({ source }) => source === "google")?.tracking_number as string;
    const { fields, sign } = PROVIDERS[kind];
    const own = { kind, name: "Provider", fallback_number: uniqueNumber() };
    const { phone_system } = await api.createPhoneSystem({ ...own, ...fields });

    async function send(target: string, form: Form): Promise<string> {
      const [url = ""] = (
        target.startsWith("https:") ? target : `${PUBLIC_URL}/telephony/${phone_system.id}/${target}`
      ).split("#");
      const response = await fetch(service.server.url + url.slice(PUBLIC_URL.length), {
        method: "POST",
        headers: sign(url, form),
        body: new URLSearchParams(form),
      });
      if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
      return await response.text();
    }

    /** Makes a call whose reports arrive in the given order, and returns it. */
    async function make(call: TrueCall, places: readonly number[]): Promise<CallJson | undefined> {
      const [parent, child, caller_number] = [uniqueToken("parent"), uniqueToken("child"), uniqueNumber()];
      const { voice } = PROVIDER_REQUESTS[kind];
      const { CallSid: parentId } = voice;
      const named = (form: Form): Form =>
        Object.fromEntries(
          Object.entries(form).map(([name, value]) => {
            if (value === parentId) return [name, parent];
            return [name, /^(?:Dial)?CallSid/.test(name) ? child : value];
          }),
        );
      const answer = await send("voice", named({ ...voice, To: number, From: caller_number }));
      const [dial = ""] = listAttributeValues(answer, "action");
      const [leg = ""] = listAttributeValues(answer, "statusCallback");
      const reports = reportsOf(kind, call);
      for (const place of places) {
        const [page, form] = reports[place] as (typeof reports)[number];
        await send(page === "caller" ? "status" : { dial, leg }[page], named(form));
      }
      await waitForReports(service.server);
      const { entries } = await api.listCalls({ account_id: pool.account.account_token, caller_number });
      return entries[0];
    }

    const facts = (call: CallJson | undefined) => {
      const { outcome, outcome_basis, duration_seconds, answered_at, ended_at } = call ?? {};
      // SignalWire sends no times, so the times are those of arrival.
      return { outcome, outcome_basis, duration_seconds, ...(kind !== "signalwire" && { answered_at, ended_at }) };
    };
    const property = fc.asyncProperty(trueCall, ordersOf(PROVIDER_REPORTS), async (call, orders) => {
      const orderly = facts(await make(call, [...Array(PROVIDER_REPORTS).keys()]));
      expect(orderly).toMatchObject({
        ...{ outcome: call.talked === undefined ? OUTCOMES[call.status] : "answered", outcome_basis: "dial_result" },
        duration_seconds: call.talked ?? 0,
      });
      const others = await Promise.all(orders.map((places) => make(call, places)));
      expect(others.map(facts)).toEqual(orders.map(() => orderly));
    });
    await fc.assert(property, { numRuns: CALLS });
  });

  test("from a PBX have the same result in every order, even if its voice request arrives last", async () => {
    const api = service.clients.json;
    const pool = await newTrackedPool({ api, server: service.server }, { visits: { "google / cpc": 1000 } });
    const number = pool.trackers.find(({ source }) => source === "google")?.tracking_number as string;
    const pbx = await newPbx(api, service.server.url);
    const time = (seconds: number) => new Date(BEGIN + seconds * 1000).toISOString();

    async function make({ rang, talked, status }: TrueCall, places: readonly number[]): Promise<CallJson | undefined> {
      const from = uniqueNumber();
      const call = { call_id: uniqueToken("call"), to: number, from, started_at: time(0), step: "original" };
      const answered = talked === undefined ? {} : { answered_at: time(rang) };
      const sip_status = talked === undefined ? SIP_STATUSES[status] : "200";
      const reports: readonly (readonly [page: string, form: Form])[] = [
        ["voice", call],
        // If the business has not answered, this report has the event `ringing`, which the server ignores.
        ["status", { ...call, event: talked === undefined ? "ringing" : "answered", ...answered }],
        ["status", { ...call, event: "ended", sip_status, ...answered, ended_at: time(rang + (talked ?? 0)) }],
      ];
      for (const place of places) {
        const [page, form] = reports[place] as (typeof reports)[number];
        expect((await pbx.send(page, form)).status).toBeLessThan(300);
      }
      await waitForReports(service.server);
      const { entries } = await api.listCalls({ account_id: pool.account.account_token, caller_number: from });
      return entries[0];
    }

    const property = fc.asyncProperty(trueCall, ordersOf(PBX_REPORTS), async (call, orders) => {
      const { rang, talked, status } = call;
      const truth = {
        ...{ outcome: talked === undefined ? OUTCOMES[status] : "answered", outcome_basis: "dial_result" },
        ...{ started_at: time(0), answered_at: talked === undefined ? null : time(rang) },
        ...{ ended_at: time(rang + (talked ?? 0)), duration_seconds: talked ?? 0 },
      };
      const made = await Promise.all([[...Array(PBX_REPORTS).keys()], ...orders].map((places) => make(call, places)));
      expect(made).toMatchObject(made.map(() => truth));
    });
    await fc.assert(property, { numRuns: CALLS });
  });
});
