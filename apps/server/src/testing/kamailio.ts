import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findFreePort } from "@calltrack/postgres/testing/find-free-port";
import { sendSipRequest } from "./send-sip-request.js";
import { startSipPhones } from "./sip-phones.js";

const KAMAILIO = ["/usr/sbin/kamailio", "/usr/local/sbin/kamailio"].find((file) => existsSync(file));
const SIPP = ["/usr/bin/sipp", "/usr/local/bin/sipp"].find((file) => existsSync(file));

const CONFIG = fileURLToPath(new URL("../../../../deploy/kamailio/kamailio.cfg", import.meta.url));
const scenario = (name: string) => fileURLToPath(new URL(`../../src/testing/sipp/${name}.xml`, import.meta.url));

/** Whether Kamailio and SIPp are installed. */
export const HAS_KAMAILIO = KAMAILIO !== undefined && SIPP !== undefined;

/** The host in the SIP URIs that businesses see as the caller. */
export const OWN_HOST = "proxy.example";

/** The settings that the Kamailio configuration in `deploy/kamailio` reads from `settings.cfg`. */
export interface KamailioSettings {
  readonly calltrackUrl: string;
  /** How long Kamailio waits for Calltrack. Default: 2. */
  readonly answerSeconds?: number | undefined;
  readonly key: string;
  readonly fallbackNumber: string;
  /** The host of the trunk, optionally with a port. Default: the address of the shop's simulated phones. */
  readonly trunk?: string | undefined;
}

/** A running Kamailio, with the phones of a shop behind it. Disposing of it ends its processes. */
export interface SipNetwork extends AsyncDisposable {
  /**
   * Makes calls with SIPp. Rejects with SIPp's counters and errors unless all calls end as the scenario expects.
   *
   * @param calls the caller's URI and the dialed number of each call.
   * @param perSecond default: 10.
   */
  call(
    name: "caller" | "impatient-caller" | "talkative-caller",
    calls: readonly (readonly [string, string])[],
    perSecond?: number,
  ): Promise<void>;
  /**
   * Sends a request to a number over UDP, and repeats it until a response arrives. Resolves with the status of the final response.
   *
   * @param headers additional header lines, each with a name and a value.
   * @param from the value of the header From.
   * @param lateMs simulates a delayed copy: sends the request again this long after the response, and returns the response to the copy.
   */
  request(
    method: string,
    number: string,
    headers: readonly string[],
    options?: { readonly from?: string; readonly lateMs?: number },
  ): Promise<number>;
  /** Sends a signal to all processes of Kamailio. */
  kill(signal: NodeJS.Signals): void;
  /** Returns the numbers of the shop that rang, in order. */
  listRung(): readonly string[];
  /** Returns the URIs that a number of the shop saw as the caller, in all requests of its calls. */
  listShown(number: string): ReadonlySet<string>;
  /** Returns the methods of the requests that a number of the shop received, in order. A repeated copy of a request counts once. */
  listMethods(number: string): readonly string[];
  /** Returns the number of calls to a number of the shop for which that number received a BYE request. */
  countHangups(number: string): number;
}

/** Starts Kamailio with the configuration in `deploy/kamailio`, and phones behind its trunk. `folder` must be empty. */
export async function startKamailio(folder: string, settings: KamailioSettings): Promise<SipNetwork> {
  const [port, phones] = [await findFreePort(), await startSipPhones()];
  await copyFile(CONFIG, join(folder, "kamailio.cfg"));
  await writeFile(
    join(folder, "settings.cfg"),
    `#!define CALLTRACK_URL "${settings.calltrackUrl}"
#!define CALLTRACK_KEY "${settings.key}"
#!define LISTEN udp:127.0.0.1:${port}
#!define TRUNK "${settings.trunk ?? `127.0.0.1:${phones.port}`}"
#!define CALLERS "127.0.0.1/32"
#!define OWN_HOST "${OWN_HOST}"
#!define FALLBACK_NUMBER "${settings.fallbackNumber}"
#!define ANSWER_SECONDS ${settings.answerSeconds ?? 2}
`,
  );
  const run = join(folder, "run");
  await mkdir(run);
  const kamailio = start(KAMAILIO as string, ["-DD", "-E", "-f", join(folder, "kamailio.cfg"), "-Y", run]);
  // `startKamailio` does not wait until Kamailio is ready, because a request without a response is repeated after 500 ms.
  let files = 0;
  /** Returns the requests that belong to the calls to a number. */
  const listRequests = (number: string) => {
    const requests = [...phones.requests];
    const calls = requests.filter((request) => request.startsWith(`INVITE sip:${number}@`)).map(readCallId);
    return requests.filter((request) => calls.includes(readCallId(request)));
  };
  return {
    async call(name, calls, perSecond = 10) {
      const file = join(folder, `calls-${++files}.csv`);
      await writeFile(file, `SEQUENTIAL\n${calls.map((call) => `${call.join(";")}\n`).join("")}`);
      const args = [
        ...["-sf", scenario(name), "-inf", file, "-m", String(calls.length), "-r", String(perSecond), "-nostdin"],
        ...["-trace_stat", "-fd", "1", "-stf", `${file}.stat`, "-trace_err", "-error_file", `${file}.log`],
        // By default, SIPp aborts a call if a BYE arrives between two steps of the scenario. Without the abort, SIPp receives the BYE when it is
        // repeated.
        ...(name === "talkative-caller" ? ["-default_behaviors", "all,-abortunexp"] : []),
        ...["-i", "127.0.0.1", "-timeout", "60s", `127.0.0.1:${port}`],
      ];
      await promisify(execFile)(SIPP as string, args, { cwd: folder }).catch(() => {});
      const [names = [], ...rows] = (await readFile(`${file}.stat`, "utf8"))
        .trim()
        .split("\n")
        .map((row) => row.split(";"));
      const counts = new Map(rows.at(-1)?.map((value, index) => [names[index], value]));
      if (counts.get("SuccessfulCall(C)") === String(calls.length)) return;
      const told = [...counts].filter(([key, value]) => /(?:Call|Failed.*)\(C\)$/.test(key ?? "") && value !== "0");
      const log = await readFile(`${file}.log`, "utf8").catch(String);
      // SIPp also logs receive timeouts and messages after the end of a call. Neither is an error. The entries of the log do not end with a line
      // break.
      const errors = log
        .split(/(?=\d{4}-\d\d-\d\d\t)/)
        .filter((entry) => !/Dead call|receive timeout/.test(entry))
        .join("")
        .slice(0, 4000);
      throw new Error(`${calls.length} calls of ${name}: ${told.map((pair) => pair.join(" ")).join(", ")}\n${errors}`);
    },
    request: (method, number, headers, { from = "<sip:+14155550100@127.0.0.1>;tag=1", lateMs } = {}) =>
      sendSipRequest(port, method, `sip:${number}@127.0.0.1:${port}`, [...headers, `From: ${from}`], lateMs),
    kill: (signal) => void process.kill(-(kamailio.pid as number), signal),
    listRung: () => [...phones.requests].flatMap((request) => /^INVITE sip:([^@]+)@/.exec(request)?.[1] ?? []),
    listShown(number) {
      const headers = /^(?:From|P-Asserted-Identity|Remote-Party-ID):.*<([^>]+)>/gm;
      const texts = listRequests(number).flatMap((request) =>
        Array.from(request.matchAll(headers), ([, uri]) => uri as string),
      );
      return new Set(texts);
    },
    listMethods: (number) =>
      [...phones.requests]
        .filter((each) => phones.numberOf(each) === number)
        .map((each) => each.split(" ")[0] as string),
    countHangups: (number) =>
      new Set(
        [...phones.requests]
          .filter((each) => each.startsWith("BYE ") && phones.numberOf(each) === number)
          .map(readCallId),
      ).size,
    async [Symbol.asyncDispose]() {
      await end(kamailio);
      await phones[Symbol.asyncDispose]();
    },
  };
}

function readCallId(request: string): string | undefined {
  return /^Call-ID: (.*)\r$/m.exec(request)?.[1];
}

function start(file: string, args: readonly string[]): ChildProcess {
  // Kamailio runs in a separate process group, so that one signal ends all its processes.
  return spawn(file, args, { stdio: "ignore", detached: true });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  process.kill(-(child.pid as number), "SIGTERM");
  const isLate = pause(5000, undefined, { ref: false }).then(() => process.kill(-(child.pid as number), "SIGKILL"));
  await Promise.race([ended, isLate]);
}
