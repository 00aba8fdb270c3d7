import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createFolder } from "@calltrack/postgres/testing/create-folder";
import { findFreePort } from "@calltrack/postgres/testing/find-free-port";
import { expect, test } from "vitest";
import type { CallJson } from "../testing/api-client.js";
import { createJsonClient } from "../testing/json-client.js";
import { createProxiedDatabase } from "../testing/proxied-database.js";
import { newAccount } from "../testing/request-fields.js";
import { startServerProcess } from "../testing/server-process.js";
import { trackNumber } from "../testing/track-number.js";

const SIMULATOR = fileURLToPath(new URL("../../../../examples/phone-simulator/many-calls.ts", import.meta.url));

const FOLDER = createFolder();

const AUTH_TOKEN = "an-auth-token";

/** The number of calls that the simulated provider makes. 10000 calls test more, and take minutes. */
const CALLS = Number(process.env.SIMULATED_CALLS ?? 500);

/** How long the database is unavailable. A long outage begins after a fifth of the calls, and ends before the last tenth. */
const OUTAGE_SECONDS = Number(process.env.OUTAGE_SECONDS ?? 5);
const CALLS_PER_SECOND =
  process.env.OUTAGE_SECONDS === undefined ? Number.POSITIVE_INFINITY : (0.7 * CALLS) / OUTAGE_SECONDS;

const TIMEOUT_MS = 300_000 + 2 * OUTAGE_SECONDS * 1000;

interface SimulatedCall {
  readonly call_id: string;
  readonly outcomes: readonly string[];
  readonly answered_by: string | null;
  readonly seconds?: number;
}

/** Returns steps of each order, and a voicemail. The same numbers ring in several steps. */
function stepsOf(first: string, second: string) {
  const targets = [{ phone_number: first }, { phone_number: second }];
  return [
    { order: "at_once", targets: [{ original: true }, ...targets], ring_seconds: 10 },
    { order: "shared", targets },
    { order: "in_turn", targets: [{ sip_uri: "sip:reception@pbx.example.com" }, ...targets] },
    { voicemail: { greeting_text: "Please leave a message.", max_seconds: 8 } },
  ];
}

/** The phone system's own number, which rings if a busy server finds no route in time. */
const OWN_NUMBER = "+12125550101";

function isEqual(actual: unknown, expected: unknown): boolean {
  try {
    expect(actual).toEqual(expected);
    return true;
  } catch {
    return false;
  }
}

const byCallId = (one: { call_id: string }, other: { call_id: string }) => (one.call_id < other.call_id ? -1 : 1);

test("each call is recorded once with its outcome and duration, whatever is repeated, late or lost", {
  timeout: TIMEOUT_MS,
}, async () => {
  await using own = new AsyncDisposableStack();
  const { proxy: database, ...location } = await createProxiedDatabase();
  own.defer(() => database.close());
  const port = String(await findFreePort());
  const environment = {
    ...location.environment,
    ...{ DATA_DIR: FOLDER, PORT: port, PASS_INTERVAL: "1s", LOG_LEVEL: "warn" },
  };
  let server = await startServerProcess(environment);
  own.defer(() => server[Symbol.asyncDispose]());
  const api = createJsonClient(server.url);
  const { phone_system } = await api.createPhoneSystem({
    ...{ name: "Simulator", kind: "twilio", account_sid: `AC${"0".repeat(32)}`, secret: AUTH_TOKEN },
    ...{ fallback_number: OWN_NUMBER, allowed_prefixes: ["+1"] },
    allowed_sip_hosts: ["pbx.example.com"],
  });
  const account = await newAccount(api);
  const whisper = { whisper_text: "Call from {source}", accept_digit: "1" };
  const numbers = [
    await trackNumber(api, account, "+12125550100"),
    await trackNumber(api, account, "+12125550110", { is_prompted: true, is_recorded: true }),
    await trackNumber(api, account, "+12125550120", { flow: { ...whisper, fallback_number: "+12125550199" } }),
    await trackNumber(api, account, "+12125550140", {
      flow: { ...whisper, steps: stepsOf("+12125550141", "+12125550142") },
    }),
    await trackNumber(api, account, "+12125550130", { flow: { ring_seconds: 10, fallback_number: "+12125550199" } }),
  ];
  const simulator = spawn(process.execPath, [
    ...[SIMULATOR, "--voice-url", phone_system.voice_url, "--secret", AUTH_TOKEN],
    ...["--to", numbers.join(), "--calls", String(CALLS), "--rate", String(CALLS_PER_SECOND)],
  ]);
  own.defer(() => void simulator.kill("SIGKILL"));
  const ended = once(simulator, "exit");
  const [output, errors] = [text(simulator.stdout), text(simulator.stderr)];

  const count = async () => (await api.reportCalls({ account_id: account.account_token }))[0]?.calls ?? 0;
  const haveBegun = async (share: number) => {
    while ((await count().catch(() => 0)) < CALLS * share) await pause(50);
  };
  await haveBegun(0.1);
  await server.stop("SIGKILL");
  // A busy server may answer a request on which a call depends before it has stored what the request reports.
  const hasUnstored = server.log.some(({ msg }) => String(msg).startsWith("a report about a call is only in memory"));
  // A slow start of the server must not use up the provider's retries.
  simulator.kill("SIGSTOP");
  server = await startServerProcess(environment);
  simulator.kill("SIGCONT");
  await haveBegun(0.2);
  database.hold();
  await pause(OUTAGE_SECONDS * 1000);
  database.release();

  expect(await ended).toEqual([0, null]);
  // The simulated provider may give up a report that a busy server cannot store in time, because the server still keeps the report in memory.
  expect((await errors).split("\n").filter((line) => !/^gave up|^$/.test(line))).toEqual([]);
  const made: SimulatedCall[] = (await output)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(made).toHaveLength(CALLS);
  const readOutcomes = async () => {
    const client = createJsonClient(server.url);
    const calls: CallJson[] = [];
    for (let page_token: string | undefined; page_token !== ""; ) {
      const page = await client.listCalls({ account_id: account.account_token, ...(page_token && { page_token }) });
      calls.push(...page.entries);
      page_token = page.nextPageToken;
    }
    return calls
      .map(({ call_id, outcome, source, answered_by, duration_seconds }) => ({
        ...{ call_id, outcome, source, answered_by, duration_seconds },
      }))
      .toSorted(byCallId);
  };
  const expected = made.toSorted(byCallId).map(({ call_id, outcomes, answered_by, seconds = 0 }) => ({
    ...{ call_id, source: "google" },
    outcome: expect.toBeOneOf([...outcomes]),
    // A busy server may connect a call to the phone system's number, or record it without its voice request.
    answered_by: outcomes.length > 1 ? expect.toSatisfy(() => true) : expect.toBeOneOf([answered_by, OWN_NUMBER, null]),
    // The provider's times are whole seconds.
    duration_seconds:
      outcomes.length > 1 ? expect.anything() : expect.toSatisfy((value) => Math.abs(value - seconds) <= 1),
  }));
  const findWrong = async () => (await readOutcomes()).filter((call, index) => !isEqual(call, expected[index]));
  await expect.poll(async () => (await readOutcomes()).length, { interval: 500 }).toBe(CALLS);
  await expect.poll(findWrong, { interval: 500 }).toSatisfy((wrong) => wrong.length <= (hasUnstored ? CALLS / 100 : 0));
  const certain = new Map(made.flatMap((call) => (call.outcomes.length > 1 ? [] : [[call.call_id, call.answered_by]])));
  const differing = (await readOutcomes()).filter(
    ({ call_id, answered_by }) => certain.has(call_id) && certain.get(call_id) !== answered_by,
  );
  // A server that is too busy to find the route of a call in time lets the call ring the fallback number. How many calls that affects depends on the machine.
  expect(differing.length).toBeLessThanOrEqual(CALLS / 10);
});
