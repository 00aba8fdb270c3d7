// Simulates a phone provider: calls a tracking number, executes the TwiML that Calltrack returns, and reports the result. See README.md.
import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createRealClock, createSimulatedClock } from "./call-clock.ts";
import { createProviderNetwork } from "./network.ts";
import type { PhoneProvider } from "./signatures.ts";
import { type SimulatedPhone, simulateCall } from "./simulator.ts";

const USAGE = `Usage: phone-simulator --voice-url URL --secret SECRET --to NUMBER [options]

  --voice-url URL      the voice URL that "phone-systems create" printed
  --status-url URL     the status URL (default: the voice URL with "status" instead of "voice")
  --provider NAME      twilio (default), signalwire or telnyx
  --secret SECRET      the auth token or signing key; for telnyx, the path of a private Ed25519 key file (PEM)
  --account-sid SID    the provider's account (default: AC and 32 zeros)
  --to NUMBER          the tracking number to call
  --from NUMBER        the caller (default: +14155550123), or Anonymous for a withheld number
  --phone BEHAVIOR     what the phones do: answer (default), busy, ring (nobody answers) or fail;
                       NUMBER=BEHAVIOR for one phone; can be repeated
  --presses DIGIT      the key that the person who answers presses
  --talk SECONDS       the length of the conversation (default: 2)
  --waits SECONDS      the time after which the caller hangs up if nobody answers
  --instant            skip the time of announcements, ringing and talking`;

const { values } = parseArgs({
  options: {
    "voice-url": { type: "string" },
    "status-url": { type: "string" },
    provider: { type: "string", default: "twilio" },
    secret: { type: "string" },
    "account-sid": { type: "string", default: `AC${"0".repeat(32)}` },
    to: { type: "string" },
    from: { type: "string", default: "+14155550123" },
    phone: { type: "string", multiple: true, default: [] },
    presses: { type: "string" },
    talk: { type: "string", default: "2" },
    waits: { type: "string" },
    instant: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const { to, secret, "voice-url": voiceUrl } = values;
const isProvider = (text: string): text is PhoneProvider => ["twilio", "signalwire", "telnyx"].includes(text);
if (values.help || to === undefined || secret === undefined || voiceUrl === undefined || !isProvider(values.provider)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}
const { provider } = values;
const key = provider === "telnyx" ? createPrivateKey(readFileSync(secret)) : secret;
const network = createProviderNetwork(provider, key);
const result = await simulateCall(
  {
    provider,
    accountSid: values["account-sid"],
    voiceUrl,
    statusUrl: values["status-url"] ?? voiceUrl.replace(/voice$/, "status"),
    fallbackDocument: undefined,
    phones: phoneOf,
  },
  network,
  values.instant ? createSimulatedClock(new Date()) : createRealClock(),
  { from: values.from, to, ...(values.waits !== undefined && { callerWaitsSeconds: Number(values.waits) }) },
);
await network.settle();
for (const line of result.heard) console.log(line);
for (const { number, result: status } of result.dialed) console.log(`dialed ${number}: ${status}`);
if (result.dialed.length === 0) console.log(result.isRejected ? "rejected" : "no number was dialed");
console.log(`call ${result.callSid}`);

/** Returns the behavior that the options specify for the phone's number, otherwise the behavior for all phones, by default `answer`. */
function phoneOf(number: string): SimulatedPhone {
  const own = values.phone.find((each) => each.startsWith(`${number}=`))?.slice(number.length + 1);
  const does = own ?? values.phone.find((each) => !each.includes("=")) ?? "answer";
  if (does === "busy" || does === "fail" || does === "ring") return { does };
  const presses = values.presses === undefined ? {} : { presses: values.presses };
  return { does: "answer", afterSeconds: 1, talkSeconds: Number(values.talk), ...presses };
}
