import fc from "fast-check";
import { type FuzzCall, fuzzCall } from "./fuzz-call.js";
import type { FuzzMethod } from "./fuzz-method.js";
import { judgeAnswer } from "./fuzz-verdict.js";
import { type WireAnswer, WireClient } from "./wire-client.js";

const CONCURRENCY = 16;

const CHUNK = 500;

export interface FuzzReport {
  readonly outcomes: Readonly<Record<string, number>>;
  /** One example for each kind of unexpected outcome, with the count of that kind. */
  readonly problems: readonly FuzzProblem[];
}

interface FuzzProblem {
  readonly outcome: string;
  readonly times: number;
  readonly request: string;
  readonly answer: string;
}

export interface FuzzOptions {
  readonly port: number;
  readonly methods: readonly FuzzMethod[];
  readonly requests: number;
  /** The same seed generates the same requests. */
  readonly seed: number;
  /** Time after which a request without a response counts as a hang. */
  readonly hangMs: number;
}

/** Sends generated requests to a server and judges the responses. */
export async function runFuzz({ port, methods, requests, seed, hangMs }: FuzzOptions): Promise<FuzzReport> {
  const client = new WireClient(port, hangMs);
  const calls = fuzzCall(methods);
  const outcomes = new Map<string, number>();
  const problems = new Map<string, FuzzProblem>();
  const send = async (call: FuzzCall) => {
    const answer = await client.send(call);
    const { outcome, isExpected } = judgeAnswer(call, answer);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (isExpected) return;
    const kind = `${call.protocol.name} ${call.method.method.methodKind} ${outcome}`;
    const times = (problems.get(kind)?.times ?? 0) + 1;
    problems.set(kind, {
      outcome,
      times,
      request: problems.get(kind)?.request ?? describeCall(call),
      answer: describeAnswer(answer),
    });
  };
  for (let sent = 0; sent < requests; sent += CHUNK) {
    const queue = fc.sample(calls, { seed: seed + sent, numRuns: Math.min(CHUNK, requests - sent) });
    const work = async () => {
      for (let call = queue.pop(); call !== undefined; call = queue.pop()) await send(call);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  }
  client.close();
  return { outcomes: Object.fromEntries([...outcomes].sort()), problems: [...problems.values()] };
}

function describeCall({ version, verb, target, headers, body, isCut }: FuzzCall): string {
  const text = body && JSON.stringify(Buffer.from(body).toString("latin1").slice(0, 400));
  return `${version} ${verb} ${target.slice(0, 300)} ${JSON.stringify(headers)} ${text ?? ""}${isCut ? " without end" : ""}`;
}

function describeAnswer({ status, headers, body, trailers, end }: WireAnswer): string {
  const message = trailers["grpc-message"] ?? headers["grpc-message"] ?? body.toString("latin1").slice(0, 300);
  return `${status} ${message} (${end})`;
}
