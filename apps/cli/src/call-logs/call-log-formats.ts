import type { CallLogFormat, OutcomesByWord } from "./call-log-format.js";

/** The columns that Asterisk's `Master.csv` always has. The Asterisk settings `loguniqueid`, `loguserfield` and `newcdrcolumns` add other columns. */
const ASTERISK_COLUMNS = [
  ...["accountcode", "src", "dst", "dcontext", "clid", "channel", "dstchannel", "lastapp", "lastdata"],
  ...["start", "answer", "end", "duration", "billsec", "disposition", "amaflags"],
];
const ASTERISK_NEW_COLUMNS = ["peeraccount", "linkedid", "sequence"];

const asterisk: CallLogFormat = {
  headers: [
    ASTERISK_COLUMNS,
    [...ASTERISK_COLUMNS, "uniqueid"],
    [...ASTERISK_COLUMNS, "uniqueid", "userfield"],
    [...ASTERISK_COLUMNS, "uniqueid", ...ASTERISK_NEW_COLUMNS],
    [...ASTERISK_COLUMNS, "uniqueid", "userfield", ...ASTERISK_NEW_COLUMNS],
  ],
  call_id: ["linkedid", "uniqueid"],
  dialed_leg: [{ column: "dstchannel" }],
  caller_number: ["src", "clid"],
  tracking_number: ["did", "dst"],
  started_at: ["start", "calldate"],
  answered_at: "answer",
  ended_at: "end",
  duration: "duration",
  talk_duration: "billsec",
  outcome: "disposition",
  outcomes: {
    ...{ ANSWERED: "answered", ANSWER: "answered", BUSY: "busy", FAILED: "failed", CONGESTION: "failed" },
    ...{ "NO ANSWER": "missed", CANCEL: "abandoned" },
  },
  // On a caller's leg, these words mean that Asterisk itself answered, with an announcement or a queue.
  caller_leg_outcomes: { ANSWERED: "missed", ANSWER: "missed" },
  voicemail: [{ column: "lastapp", values: ["VoiceMail"] }],
};

const freepbx: CallLogFormat = {
  ...asterisk,
  caller_number: ["cnum", "src", "clid"],
  tracking_number: "did",
};

/**
 * The outcome for each FreeSWITCH hangup cause. A leg whose cause means `answered` counts as missed if it has neither an answer time nor a talk
 * duration.
 */
const FREESWITCH_OUTCOMES: OutcomesByWord = {
  ...Object.fromEntries(
    [
      ...["NORMAL_CLEARING", "NORMAL_UNSPECIFIED", "ALLOTTED_TIMEOUT", "ATTENDED_TRANSFER", "BLIND_TRANSFER"],
      ...["MEDIA_TIMEOUT", "PICKED_OFF", "MANAGER_REQUEST", "SYSTEM_SHUTDOWN"],
    ].map((cause) => [cause, "answered"]),
  ),
  ...{ NO_ANSWER: "missed", NO_USER_RESPONSE: "missed", ORIGINATOR_CANCEL: "abandoned", LOSE_RACE: "missed" },
  ...{ SUBSCRIBER_ABSENT: "missed", PROGRESS_TIMEOUT: "missed", USER_BUSY: "busy", CALL_REJECTED: "busy" },
  ...Object.fromEntries(
    [
      ...[
        "USER_NOT_REGISTERED",
        "UNALLOCATED_NUMBER",
        "INVALID_NUMBER_FORMAT",
        "NO_ROUTE_DESTINATION",
        "INVALID_GATEWAY",
      ],
      ...["DESTINATION_OUT_OF_ORDER", "NETWORK_OUT_OF_ORDER", "NORMAL_TEMPORARY_FAILURE", "SWITCH_CONGESTION"],
      ...["NORMAL_CIRCUIT_CONGESTION", "INCOMPATIBLE_DESTINATION", "RECOVERY_ON_TIMER_EXPIRE", "GATEWAY_DOWN"],
      ...["SERVICE_UNAVAILABLE", "OUTGOING_CALL_BARRED", "EXCHANGE_ROUTING_ERROR", "PROTOCOL_ERROR", "INTERWORKING"],
    ].map((cause) => [cause, "failed"]),
  ),
};

const freeswitch: CallLogFormat = {
  headers: [
    [
      ...["caller_id_name", "caller_id_number", "destination_number", "context", "start_stamp", "answer_stamp"],
      ...["end_stamp", "duration", "billsec", "hangup_cause", "uuid", "bleg_uuid", "accountcode"],
      ...["read_codec", "write_codec"],
    ],
  ],
  call_id: ["uuid", "xml_cdr_uuid"],
  linked_id: ["bleg_uuid", "bridge_uuid"],
  caller_number: "caller_id_number",
  tracking_number: ["caller_destination", "destination_number"],
  // The `*_stamp` columns have no time zone, so the epoch columns take precedence.
  started_at: ["start_epoch", "start_uepoch", "start_stamp"],
  answered_at: ["answer_epoch", "answer_uepoch", "answer_stamp"],
  ended_at: ["end_epoch", "end_uepoch", "end_stamp"],
  duration: "duration",
  talk_duration: "billsec",
  outcome: "hangup_cause",
  outcomes: FREESWITCH_OUTCOMES,
  skip: [{ column: "direction", values: ["outbound", "local"], reason: "outbound or internal call" }],
};

const twilio: CallLogFormat = {
  call_id: ["Parent Call Sid", "Call Sid", "Sid"],
  dialed_leg: [
    { column: "Parent Call Sid" },
    // A trunk passes the call to the business without a second leg, so the only row of the call is the leg to the business.
    { column: "Direction", values: ["trunking-originating"] },
  ],
  caller_number: "From",
  tracking_number: "To",
  started_at: ["Start Time", "Date Created"],
  ended_at: "End Time",
  talk_duration: "Duration",
  outcome: "Status",
  outcomes: {
    ...{ queued: "in_progress", initiated: "in_progress", ringing: "in_progress", "in-progress": "in_progress" },
    ...{ completed: "answered", busy: "busy", "no-answer": "missed", canceled: "abandoned", failed: "failed" },
  },
  // Twilio itself answers the caller: only a leg to the business shows whether somebody answered.
  caller_leg_outcomes: { completed: "missed" },
  skip: [{ column: "Direction", values: ["outbound-api", "trunking-terminating"], reason: "outbound call" }],
};

const threeCx: CallLogFormat = {
  headers: [
    [
      ...["historyid", "callid", "duration", "time-start", "time-answered", "time-end", "reason-terminated", "from-no"],
      ...["to-no", "from-dn", "to-dn", "dial-no", "reason-changed", "final-number", "final-dn", "bill-code"],
      ...["bill-rate", "bill-cost", "bill-name", "chain", "from-type", "to-type", "final-type", "from-dispname"],
      ...["to-dispname", "final-dispname", "missed-queue-calls"],
    ],
  ],
  call_id: ["Call ID", "callid"],
  caller_number: ["From", "from-no", "Caller ID"],
  tracking_number: ["DID", "Dialed Number", "dial-no", "To", "Destination"],
  started_at: ["Call Time", "time-start"],
  answered_at: "time-answered",
  ended_at: "time-end",
  ring_duration: "Ringing",
  talk_duration: "Talking",
  outcome: "Status",
  outcomes: {
    ...{ Answered: "answered", Unanswered: "missed", Missed: "missed", Abandoned: "abandoned", Redirected: "missed" },
    ...{ Busy: "busy", Failed: "failed", Voicemail: "voicemail" },
  },
  skip: [
    { column: "Direction", values: ["Outbound"], reason: "outbound call" },
    { column: "Direction", values: ["Internal"], reason: "internal call" },
    { column: "from-type", values: ["Extension"], reason: "outbound or internal call" },
  ],
};

const ringcentral: CallLogFormat = {
  call_id: ["Session Id", "Telephony Session Id"],
  caller_number: ["From Number", "from.phoneNumber", "From"],
  tracking_number: ["To Number", "to.phoneNumber", "To"],
  started_at: ["Call Start Time", "startTime", "Date + Time"],
  ring_duration: "Time to Answer",
  duration: ["Call Length", "Duration"],
  outcome: ["Action Result", "Result"],
  outcomes: {
    ...{ Answered: "answered", Accepted: "answered", "Call connected": "answered", Completed: "answered" },
    ...{ Missed: "missed", Abandoned: "abandoned", "No Answer": "missed", "Hang Up": "abandoned", Reply: "missed" },
    ...{ "Answered Not Accepted": "missed", Declined: "busy", Rejected: "busy", Busy: "busy" },
    ...{ Voicemail: "voicemail", "In Progress": "in_progress", Blocked: "failed", "Call Failed": "failed" },
    ...{ "Internal Error": "failed", "IP Phone Offline": "failed", "Wrong Number": "failed", Stopped: "failed" },
    ...{ "Suspended Account": "failed", "Restricted Number": "failed", "International Disabled": "failed" },
    ...{ "International Restricted": "failed", "Poor Line Quality": "failed", Unknown: "failed" },
  },
  skip: [
    { column: "Call Direction", values: ["Outbound"], reason: "outbound call" },
    { column: "Call Direction", values: ["Internal"], reason: "internal call" },
    { column: "Direction", values: ["Outgoing", "Outbound"], reason: "outbound call" },
    { column: "Type", values: ["Fax", "SMS"], reason: "not a voice call" },
  ],
  date_order: "month-first",
};

const cucm: CallLogFormat = {
  call_id: "globalCallID_callManagerId + globalCallID_callId",
  caller_number: "callingPartyNumber",
  tracking_number: ["originalCalledPartyNumber", "finalCalledPartyNumber"],
  started_at: "dateTimeOrigination",
  answered_at: "dateTimeConnect",
  ended_at: "dateTimeDisconnect",
  talk_duration: "duration",
  // Each CUCM file begins with a line of column names and a line of column types. In concatenated files, these lines appear between the calls.
  skip: [
    { column: "cdrRecordType", values: ["cdrRecordType"], reason: "line of column names" },
    { column: "cdrRecordType", values: ["INTEGER"], reason: "line of column types" },
  ],
};

const fritzbox: CallLogFormat = {
  caller_number: ["Rufnummer", "Number"],
  tracking_number: ["Eigene Rufnummer", "Local Number", "Outgoing Caller ID"],
  started_at: ["Datum", "Date"],
  duration: ["Dauer", "Duration"],
  duration_format: "h:mm",
  outcome: ["Typ", "Type"],
  outcomes: { 1: "answered", 2: "missed", 9: "in_progress", 10: "busy" },
  voicemail: [{ column: "Nebenstelle", values: ["Anrufbeantworter"] }],
  skip: ["Typ", "Type"].map((column) => ({ column, values: ["3", "4", "11"], reason: "outbound call" })),
};

/** The built-in formats, according to the vendors' documentation: see docs/call-logs.md. */
export const callLogFormats = {
  asterisk,
  cucm,
  freepbx,
  freeswitch,
  fritzbox,
  twilio,
  "3cx": threeCx,
  ringcentral,
} as const;

export type CallLogFormatName = keyof typeof callLogFormats;
