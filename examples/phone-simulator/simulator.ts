import { randomBytes } from "node:crypto";
import type { CallClock } from "./call-clock.ts";
import type { ProviderNetwork } from "./network.ts";
import type { PhoneProvider } from "./signatures.ts";
import { parseTwiml, type TwimlVerb } from "./twiml.ts";

export type SimulatedPhone =
  | {
      readonly does: "answer";
      readonly afterSeconds: number;
      readonly talkSeconds: number;
      /** The key that the person presses during the whisper; undefined for a voicemail, which presses no key. */
      readonly presses?: string;
    }
  | { readonly does: "busy" | "fail" | "ring" };

export interface SimulatorOptions {
  readonly provider: PhoneProvider;
  readonly accountSid: string;
  readonly voiceUrl: string;
  /** The status callback URL for the caller's leg; undefined if none is set at the provider. */
  readonly statusUrl: string | undefined;
  /** The TwiML document that the provider runs if the server does not respond; undefined if none is set. */
  readonly fallbackDocument: string | undefined;
  readonly phones: (number: string) => SimulatedPhone;
}

export interface IncomingCall {
  readonly from: string;
  readonly to: string;
  readonly forwardedFrom?: string;
  /** The seconds after which the caller hangs up if nobody has answered; undefined if the caller waits without limit. */
  readonly callerWaitsSeconds?: number;
  /** The length of the caller's voicemail message, in seconds; 0 to hang up at the tone. Default: 5. */
  readonly messageSeconds?: number;
}

/** The result of a call, as the people on the phone experienced it. */
export interface CallResult {
  readonly callSid: string;
  /** The dialed numbers in the order in which their legs ended, each with its result. */
  readonly dialed: readonly { readonly number: string; readonly result: DialStatus | "voicemail" }[];
  /** The result of the last dial; `message` if the caller left a message in the call flow's voicemail; undefined if nothing was dialed. */
  readonly lastResult: DialStatus | "voicemail" | "message" | undefined;
  /** The announcements that the caller and the person who answered heard, and each recording. */
  readonly heard: readonly string[];
  readonly isRejected: boolean;
  /** Whether the server did not respond to the result of a dial. */
  readonly isResultLost: boolean;
  /** The phone that took the call, and how many seconds it was on the line; undefined if nobody took the call. */
  readonly taken: { readonly by: string; readonly seconds: number } | undefined;
}

type DialStatus = "completed" | "busy" | "no-answer" | "failed" | "canceled";

/** How long an announcement takes, per character of its text. */
const SECONDS_PER_CHARACTER = 0.06;

/** Thrown to end the call from within a verb. */
class HangUp extends Error {}

/** Makes a call as a provider does: requests TwiML, executes the TwiML, and reports the result. Resolves when the call has ended. */
export async function simulateCall(
  options: SimulatorOptions,
  network: ProviderNetwork,
  clock: CallClock,
  call: IncomingCall,
): Promise<CallResult> {
  const { provider, accountSid, phones } = options;
  const callSid = createSid(provider, "CA");
  const startedAt = clock.now();
  const dialed: { number: string; result: DialStatus | "voicemail" }[] = [];
  const heard: string[] = [];
  let isAnswered = false;
  let isRejected = false;
  let isResultLost = false;
  let lastResult: CallResult["lastResult"];
  let taken: CallResult["taken"];

  const parent = (status: string, more: Record<string, string> = {}) =>
    new URLSearchParams({
      ...{ CallSid: callSid, AccountSid: accountSid, From: call.from, To: call.to, Caller: call.from, Called: call.to },
      ...{ CallStatus: status, Direction: "inbound", ApiVersion: "2010-04-01", CallerCountry: "US", StirVerstat: "" },
      ...(call.forwardedFrom !== undefined && { ForwardedFrom: call.forwardedFrom }),
      ...more,
    });

  const callerHasLeft = () => {
    const waits = call.callerWaitsSeconds;
    return waits !== undefined && (clock.now().getTime() - startedAt.getTime()) / 1000 >= waits;
  };

  async function speak(to: string, { name, text }: TwimlVerb): Promise<void> {
    heard.push(`${to}: ${name === "Play" ? `sound ${text}` : text}`);
    await clock.sleep(name === "Play" ? 3 : text.length * SECONDS_PER_CHARACTER);
  }

  /** Dials all numbers and addresses in a `<Dial>` at the same time. Returns the verbs in the response to the result of the dial. */
  async function dial({ attributes, nested, text }: TwimlVerb): Promise<readonly TwimlVerb[]> {
    const nouns = nested.length > 0 ? nested : [{ name: "Number", attributes: {}, text, nested: [] }];
    const started = clock.now();
    const rings = nouns
      .map((noun) => ({
        leg: createLeg(noun, attributes.callerId),
        ...ring(phones(noun.text), Number(attributes.timeout ?? 30)),
      }))
      .sort((one, other) => one.seconds - other.seconds);
    const first = rings.find(({ result }) => result === "answered");
    let waited = 0;
    for (const { leg, result, seconds } of rings) {
      const isOver = first !== undefined && seconds >= first.seconds;
      await clock.sleep((isOver ? first.seconds : seconds) - waited);
      waited = isOver ? first.seconds : seconds;
      if (result === "answered" && leg === first?.leg) continue;
      // Twilio cancels the other legs as soon as one phone answers, before the whisper.
      const status = isOver || result === "answered" ? "canceled" : result;
      leg.tell(status, "completed", { CallDuration: "0" });
      dialed.push({ number: leg.noun.text, result: status });
    }
    const leg = (first ?? (rings.at(-1) as (typeof rings)[number])).leg;
    const phone = phones(leg.noun.text);
    let isBridged = false;
    let talked = 0;
    if (first !== undefined && phone.does === "answer") {
      const answered = clock.now();
      leg.tell("in-progress", "answered");
      // A whisper that cannot be fetched ends the dialed leg.
      const { url } = leg.noun.attributes;
      isBridged = url === undefined || (await whisper(url, leg.form, phone).catch(isNotTaken));
      if (isBridged) {
        isAnswered = true;
        await clock.sleep(Math.min(phone.talkSeconds, Number(attributes.timeLimit ?? 14_400)));
      }
      talked = Math.round((clock.now().getTime() - answered.getTime()) / 1000);
      if (isBridged) taken = { by: leg.noun.text, seconds: talked };
      if (isBridged && attributes.record?.startsWith("record-from")) record(attributes);
      leg.tell("completed", "completed", { CallDuration: String(talked) });
      dialed.push({ number: leg.noun.text, result: isBridged ? "completed" : "voicemail" });
    }
    const status = first === undefined ? worstOf(rings.map(({ result }) => result)) : "completed";
    lastResult = first !== undefined && !isBridged ? "voicemail" : status;
    if (attributes.action === undefined) return [];
    const more = {
      ...{ DialCallSid: leg.sid, DialCallStatus: status, DialBridged: String(isBridged) },
      ...(status === "completed" && {
        DialCallDuration: String(talked || Math.round((clock.now().getTime() - started.getTime()) / 1000)),
      }),
    };
    const hasLeft = status === "canceled";
    // The result counts as lost until the server responds.
    isResultLost = true;
    const next = await fetchVerbs(attributes.action, parent(hasLeft ? "completed" : "in-progress", more), [
      ...["Say", "Play", "Pause", "Dial", "Record", "Hangup"],
    ]);
    isResultLost = false;
    // If the caller has hung up, Twilio still reports the result of the dial, but ignores the response.
    if (hasLeft) throw new HangUp();
    return next;
  }

  /** Records the caller's message after the tone, and reports the recording. Returns the verbs in the response to the report. */
  async function recordMessage({ attributes }: TwimlVerb): Promise<readonly TwimlVerb[]> {
    const seconds = Math.min(call.messageSeconds ?? 5, Number(attributes.maxLength ?? 3600));
    await clock.sleep(seconds);
    if (attributes.action === undefined) throw new Error("<Record> without action would request the greeting again");
    const recordingSid = createSid(provider, "RE");
    const url = `https://api.provider.example/Accounts/${accountSid}/Recordings/${recordingSid}`;
    const facts = { RecordingSid: recordingSid, RecordingUrl: url, RecordingDuration: String(seconds) };
    const callback = attributes.recordingStatusCallback;
    if (callback !== undefined) network.tell(callback, parent("completed", { ...facts, RecordingStatus: "completed" }));
    heard.push(`recorded: message of ${seconds} seconds`);
    lastResult = seconds < 2 ? lastResult : "message";
    isResultLost = true;
    const next = await fetchVerbs(attributes.action, parent("completed", { ...facts, Digits: "hangup" }), ["Hangup"]);
    isResultLost = false;
    return next;
  }

  function createLeg(noun: TwimlVerb, callerId = call.from) {
    const sid = createSid(provider, "CA");
    const form = (status: string, more: Record<string, string> = {}) =>
      new URLSearchParams({
        ...{ CallSid: sid, ParentCallSid: callSid, AccountSid: accountSid, Direction: "outbound-dial" },
        ...{ From: callerId, To: noun.text, CallStatus: status, ApiVersion: "2010-04-01" },
        ...more,
      });
    const events = (noun.attributes.statusCallbackEvent ?? "completed").split(" ");
    let sequence = 0;
    const tell = (status: string, event: string, more: Record<string, string> = {}) => {
      const url = noun.attributes.statusCallback;
      if (url === undefined || !events.includes(event)) return;
      const facts = { Timestamp: timestamp(provider, clock.now()), CallbackSource: "call-progress-events" };
      network.tell(url, form(status, { ...facts, SequenceNumber: String(sequence++), ...more }));
    };
    return { noun, sid, form, tell };
  }

  function ring(
    phone: SimulatedPhone,
    timeoutSeconds: number,
  ): { readonly seconds: number; readonly result: "answered" | DialStatus } {
    if (phone.does === "busy" || phone.does === "fail") {
      return { seconds: 1, result: phone.does === "busy" ? "busy" : "failed" };
    }
    const patience = (call.callerWaitsSeconds ?? Number.POSITIVE_INFINITY) - secondsSince(startedAt, clock);
    const answersAfter = phone.does === "answer" ? phone.afterSeconds : Number.POSITIVE_INFINITY;
    const seconds = Math.max(0, Math.min(patience, answersAfter, timeoutSeconds));
    if (seconds === answersAfter) return { seconds, result: "answered" };
    return { seconds, result: seconds === timeoutSeconds ? "no-answer" : "canceled" };
  }

  /** Runs the whisper on the leg of the person who answered. Returns whether this person takes the call. */
  async function whisper(
    url: string,
    child: (status: string, more?: Record<string, string>) => URLSearchParams,
    phone: Extract<SimulatedPhone, { does: "answer" }>,
  ): Promise<boolean> {
    for (const verb of await fetchVerbs(url, child("in-progress"), ["Say", "Play", "Gather", "Hangup", "Pause"])) {
      if (verb.name === "Hangup") return false;
      if (verb.name !== "Gather") {
        await speak("callee", verb);
        continue;
      }
      for (const prompt of verb.nested) await speak("callee", prompt);
      if (phone.presses === undefined) {
        await clock.sleep(Number(verb.attributes.timeout ?? 5));
        continue;
      }
      if (verb.attributes.action === undefined)
        throw new Error("<Gather> without action would request the whisper again");
      const next = await fetchVerbs(verb.attributes.action, child("in-progress", { Digits: phone.presses }), [
        ...["Say", "Play", "Gather", "Hangup", "Pause"],
      ]);
      return !next.some(({ name }) => name === "Hangup");
    }
    return true;
  }

  function record({ record: mode, recordingStatusCallback: url }: Readonly<Record<string, string>>): void {
    heard.push(`recorded: ${mode}`);
    if (url === undefined) return;
    const recordingSid = createSid(provider, "RE");
    const form = new URLSearchParams({
      ...{ AccountSid: accountSid, CallSid: callSid, RecordingSid: recordingSid, RecordingStatus: "completed" },
      RecordingUrl: `https://api.provider.example/Accounts/${accountSid}/Recordings/${recordingSid}`,
      ...{
        RecordingDuration: "12",
        RecordingChannels: mode?.endsWith("dual") ? "2" : "1",
        RecordingSource: "DialVerb",
      },
    });
    network.tell(url, form);
  }

  async function fetchVerbs(
    url: string,
    form: URLSearchParams,
    allowed: readonly string[],
  ): Promise<readonly TwimlVerb[]> {
    const answer = await network.ask(url, form);
    if (answer?.status !== 200) throw new HangUp();
    const verbs = parseTwiml(answer.text);
    const wrong = verbs.find(({ name }) => !allowed.includes(name));
    if (wrong !== undefined) throw new Error(`<${wrong.name}> is not allowed here: ${url}`);
    return verbs;
  }

  async function execute(verbs: readonly TwimlVerb[]): Promise<void> {
    for (const verb of verbs) {
      if (callerHasLeft()) throw new HangUp();
      if (verb.name === "Reject") {
        isRejected = true;
        throw new HangUp();
      }
      if (verb.name === "Hangup") throw new HangUp();
      if (verb.name === "Pause") await clock.sleep(Number(verb.attributes.length ?? 1));
      else if (verb.name === "Dial") return execute(await dial(verb));
      else if (verb.name === "Record") {
        isAnswered = true;
        return execute(await recordMessage(verb));
      } else {
        // An announcement answers the caller's leg.
        isAnswered = true;
        await speak("caller", verb);
      }
    }
  }

  try {
    const answer = await network.ask(options.voiceUrl, parent(provider === "telnyx" ? "initiated" : "ringing"));
    const text = answer?.status === 200 ? answer.text : options.fallbackDocument;
    if (text !== undefined) await execute(parseTwiml(text));
  } catch (error) {
    if (!(error instanceof HangUp)) throw error;
  }
  if (options.statusUrl !== undefined) {
    const rejected = isRejected ? "busy" : "no-answer";
    const more = {
      ...{ Timestamp: timestamp(provider, clock.now()), SequenceNumber: "0" },
      ...{ CallDuration: String(Math.round(secondsSince(startedAt, clock))), CallbackSource: "call-progress-events" },
    };
    network.tell(options.statusUrl, parent(isAnswered ? "completed" : rejected, more));
  }
  return { callSid, dialed, lastResult, heard, isRejected, isResultLost, taken };
}

/** Returns the status of an unanswered dial: the first of canceled, no-answer, busy and failed that is the result of a leg. */
function worstOf(results: readonly ("answered" | DialStatus)[]): DialStatus {
  const order = ["canceled", "no-answer", "busy", "failed"] as const;
  return order.find((status) => results.includes(status)) ?? "failed";
}

function isNotTaken(error: unknown): false {
  if (error instanceof HangUp) return false;
  throw error;
}

function secondsSince(start: Date, clock: CallClock): number {
  return (clock.now().getTime() - start.getTime()) / 1000;
}

/**
 * Returns a random id in the provider's format. Twilio's ids are a prefix and 32 hexadecimal digits, SignalWire's are UUIDs, and Telnyx's begin with
 * `v3:`.
 */
function createSid(provider: PhoneProvider, prefix: string): string {
  if (provider === "telnyx") return `v3:${randomBytes(24).toString("base64url")}`;
  return provider === "signalwire" ? crypto.randomUUID() : prefix + randomBytes(16).toString("hex");
}

/** Formats a time as the provider does: Twilio in RFC 2822 format, the other providers in ISO 8601. */
function timestamp(provider: PhoneProvider, time: Date): string {
  return provider === "twilio" ? time.toUTCString().replace("GMT", "+0000") : time.toISOString();
}
