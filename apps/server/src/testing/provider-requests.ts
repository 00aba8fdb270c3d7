import { createHmac, type KeyObject, sign } from "node:crypto";
import twilio from "twilio";

export type ProviderRequestForm = Readonly<Record<string, string>>;

const TWILIO_CALL = {
  ...{ AccountSid: "AC0123456789abcdef0123456789abcdef", ApiVersion: "2010-04-01" },
  ...{ From: "+14155550123", To: "+12223334444" },
};
const TWILIO_PARENT = "CA11111111111111111111111111111111";
const TWILIO_CHILD = "CA22222222222222222222222222222222";
const TWILIO_DIALED = {
  ...{ ...TWILIO_CALL, CallSid: TWILIO_CHILD, ParentCallSid: TWILIO_PARENT, To: "+12125550100" },
  Direction: "outbound-dial",
};

const SIGNALWIRE_CALL = {
  ...{ AccountSid: "0f7a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b", ApiVersion: "2010-04-01" },
  ...{ From: "+14155550123", To: "+12223334444", CallSid: "b3877c40-da60-4998-90ad-b792e98472af" },
};

const TELNYX_PARENT = "v3:9X2vxPDFY2RHSJ1EdMS0RHRksMTg7ldNxdjWbVr9zBjbGjGsSe-aiQ";
const TELNYX_CALL = {
  ...{ AccountSid: "f5586561-8ff0-4291-a51b-c7dfe4139ff9", CallSid: TELNYX_PARENT, CallSidLegacy: TELNYX_PARENT },
  ...{ From: "+14155550123", To: "+12223334444", ConnectionId: "1234567890" },
};
const TELNYX_CHILD = "v3:MdI91X4lWFEs7IgbBEOT9M4AigoY08M0WWZFISt1Yw2axZ_IiE4pqg";
const TELNYX_DIALED = {
  ...{ ...TELNYX_CALL, CallSid: TELNYX_CHILD, CallSidLegacy: TELNYX_CHILD, To: "+12125550100" },
  ...{ ParentCallSid: TELNYX_PARENT, ParentCallSidLegacy: TELNYX_PARENT },
};

/**
 * Webhook requests that phone system providers document, keyed by provider and webhook. The field names are the documented ones, and the values are
 * invented. `dialedLeg` is a status report about the leg to the business, and `callerLeg` is one about the caller's leg.
 */
export const PROVIDER_REQUESTS = {
  twilio: {
    voice: {
      ...{ ...TWILIO_CALL, CallSid: TWILIO_PARENT, CallStatus: "ringing", Direction: "inbound" },
      ...{ ForwardedFrom: "+13105550199", CallerName: "SMITH JOHN", FromCity: "SAN FRANCISCO", FromState: "CA" },
      ...{ FromZip: "94105", FromCountry: "US", ToCity: "", ToState: "NY", ToZip: "", ToCountry: "US" },
      ...{ CallToken: "%7B%22parentCallInfoToken%22%7D", StirVerstat: "TN-Validation-Passed-A" },
    },
    dial: {
      ...{ ...TWILIO_CALL, CallSid: TWILIO_PARENT, CallStatus: "in-progress", Direction: "inbound" },
      ...{ DialCallSid: TWILIO_CHILD, DialCallStatus: "completed", DialCallDuration: "42", DialBridged: "true" },
    },
    dialedLeg: {
      ...{ ...TWILIO_DIALED, CallStatus: "completed", CallDuration: "42", Duration: "1", SequenceNumber: "2" },
      ...{ Timestamp: "Thu, 26 Nov 2026 10:00:42 +0000", CallbackSource: "call-progress-events" },
    },
    callerLeg: {
      ...{ ...TWILIO_CALL, CallSid: TWILIO_PARENT, CallStatus: "completed", CallDuration: "50", SequenceNumber: "0" },
      ...{ Direction: "inbound", Timestamp: "Thu, 26 Nov 2026 10:00:50 +0000", CallbackSource: "call-progress-events" },
    },
    recording: {
      ...{
        AccountSid: TWILIO_CALL.AccountSid,
        CallSid: TWILIO_PARENT,
        RecordingSid: "RE33333333333333333333333333333333",
      },
      RecordingUrl: "https://api.twilio.com/2010-04-01/Accounts/AC0/Recordings/RE33333333333333333333333333333333",
      ...{ RecordingStatus: "completed", RecordingDuration: "40", RecordingChannels: "2", RecordingSource: "DialVerb" },
      ...{ RecordingStartTime: "Thu, 26 Nov 2026 10:00:02 +0000", RecordingTrack: "both" },
    },
    whisper: { ...TWILIO_DIALED, CallStatus: "in-progress", Digits: "1" },
  },
  signalwire: {
    voice: {
      ...{ ...SIGNALWIRE_CALL, CallStatus: "ringing", Direction: "inbound", ForwardedFrom: "+13105550199" },
      ...{ CallerName: "", ParentCallSid: "" },
    },
    dial: {
      ...{ ...SIGNALWIRE_CALL, CallStatus: "in-progress", Direction: "inbound" },
      ...{ DialCallSid: "c4988d51-eb71-4aa9-a1be-c8a3fa9583b0", DialCallStatus: "completed", DialCallDuration: "42" },
    },
    // Contains no ParentCallSid, because SignalWire does not always send that field.
    dialedLeg: {
      ...{ ...SIGNALWIRE_CALL, CallSid: "c4988d51-eb71-4aa9-a1be-c8a3fa9583b0", To: "+12125550100" },
      ...{ CallStatus: "completed", CallDuration: "42", Direction: "outbound-dial" },
    },
    callerLeg: {
      ...{ ...SIGNALWIRE_CALL, CallStatus: "completed", CallDuration: "50", AudioInMos: "4.5" },
      Timestamp: "Thu, 26 Nov 2026 10:00:00 +0000",
    },
    recording: {
      ...{ AccountSid: SIGNALWIRE_CALL.AccountSid, CallSid: SIGNALWIRE_CALL.CallSid },
      ...{
        RecordingSid: "d5a99e62-fc82-4bba-b2cf-d9b4fba694c1",
        RecordingStatus: "completed",
        RecordingDuration: "40",
      },
      ...{ RecordingUrl: "https://example.signalwire.com/recordings/d5a99e62.wav", RecordingChannels: "2" },
    },
    whisper: {
      ...{ ...SIGNALWIRE_CALL, CallSid: "c4988d51-eb71-4aa9-a1be-c8a3fa9583b0", To: "+12125550100" },
      ...{ CallStatus: "in-progress", Direction: "outbound-dial", Digits: "1" },
    },
  },
  telnyx: {
    voice: { ...TELNYX_CALL, CallStatus: "initiated", CallerId: "SMITH JOHN", ShakenStirAttestation: "A" },
    dial: {
      ...{ ...TELNYX_CALL, CallStatus: "in-progress", DialCallSid: TELNYX_CHILD, DialCallSidLegacy: TELNYX_CHILD },
      ...{ DialCallStatus: "completed", DialCallDuration: "42" },
    },
    dialedLeg: {
      ...{ ...TELNYX_DIALED, CallStatus: "completed", CallDuration: "42", SequenceNumber: "3" },
      ...{
        Timestamp: "2026-11-26 10:00:42.731479Z",
        AnsweredTime: "2026-11-26T10:00:00Z",
        HangupCause: "normal_clearing",
      },
      ...{ HangupSource: "callee", CallbackSource: "call-progress-events", CallQualityStats: '{"mos":4.2}' },
    },
    callerLeg: {
      ...{ ...TELNYX_CALL, CallStatus: "completed", CallDuration: "50", SequenceNumber: "3", HangupSource: "caller" },
      ...{ Timestamp: "2026-11-26T10:00:50.000Z", HangupCause: "normal_clearing", DialCallStatus: "completed" },
    },
    recording: {
      ...{
        AccountSid: TELNYX_CALL.AccountSid,
        CallSid: TELNYX_PARENT,
        CallSidLegacy: TELNYX_PARENT,
        ConnectionId: "1234567890",
      },
      ...{ RecordingSid: "35094891-3290-4142-b2c2-b2eda57534cf", RecordingStatus: "completed", RecordingChannels: "1" },
      ...{
        RecordingDuration: "40",
        RecordingSource: "DialVerb",
        RecordingUrl: "https://recordings.example/35094891.mp3",
      },
    },
    whisper: { ...TELNYX_DIALED, CallStatus: "in-progress", Digits: "1" },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ProviderRequestForm>>>>;

export const ARRIVED_AT = new Date("2026-11-26T10:00:51.000Z");

/** Returns the signature header of a webhook request. Twilio's npm package computes the signature. */
export function signLikeTwilio(token: string, url: string, form: Readonly<Record<string, string | string[]>>) {
  return { "x-twilio-signature": twilio.getExpectedTwilioSignature(token, url, form) };
}

/** Returns the signature header of a webhook request with SignalWire's algorithm. SignalWire's npm package can only verify signatures. */
export function signLikeSignalWire(key: string, url: string, form: Readonly<Record<string, string | string[]>>) {
  const names = Object.keys(form).sort();
  const signed = url + names.flatMap((name) => [form[name]].flat().map((value) => `${name}${value}`)).join("");
  return { "x-signalwire-signature": createHmac("sha1", key).update(signed).digest("base64") };
}

/** Returns the signature headers of a webhook request, with the algorithm that Telnyx documents. */
export function signLikeTelnyx(privateKey: KeyObject, body: string, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signature = sign(null, Buffer.from(`${timestamp}|${body}`), privateKey).toString("base64");
  return { "telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp };
}
