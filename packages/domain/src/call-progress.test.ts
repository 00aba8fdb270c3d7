import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type CallProgress,
  computeCallDurationSeconds,
  deriveDefaultCallOutcome,
  requireValidCallProgress,
  updateCallProgress,
} from "./call-progress.js";
import { CallOutcome } from "./gen/calltracking/v1/call_pb.js";
import { violationsOf } from "./testing/broken-request.js";

const NOW = new Date("2026-11-21T08:30:00.000Z");
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

function progress(answered?: number, ended?: number, outcome?: CallOutcome): CallProgress {
  const times = {
    answeredAt: answered === undefined ? undefined : at(answered),
    endedAt: ended === undefined ? undefined : at(ended),
  };
  return { startedAt: NOW, ...times, outcome: outcome ?? deriveDefaultCallOutcome(times) };
}

const { IN_PROGRESS, ANSWERED, MISSED, BUSY, FAILED, VOICEMAIL, UNKNOWN, ABANDONED } = CallOutcome;

test.each([
  [undefined, undefined, IN_PROGRESS, undefined],
  [3, undefined, IN_PROGRESS, undefined],
  [undefined, 9, MISSED, 0],
  [3, 3, ANSWERED, 0],
  [3, 63.999, ANSWERED, 60],
])(
  "a call answered at %s and ended at %s has the outcome %i and a duration of %s seconds",
  (answered, ended, outcome, seconds) => {
    const call = progress(answered, ended);
    expect([call.outcome, computeCallDurationSeconds(call)]).toEqual([outcome, seconds]);
  },
);

describe("requireValidCallProgress", () => {
  test.each([
    progress(0, 0),
    progress(300),
    progress(3, undefined, ANSWERED),
    progress(3, 9, VOICEMAIL),
    progress(undefined, undefined, UNKNOWN),
    ...[MISSED, BUSY, FAILED, VOICEMAIL, UNKNOWN, ABANDONED].map((outcome) => progress(undefined, 9, outcome)),
  ])("accepts %o", (call) => {
    expect(requireValidCallProgress(call, NOW)).toBe(call);
  });

  test.each([
    [progress(-1), "answered_at", "must not be before started_at"],
    [progress(undefined, -1), "ended_at", "must not be before started_at"],
    [progress(9, 3), "ended_at", "must not be before answered_at"],
    [progress(301), "answered_at", "must not be in the future: correct the sender's clock"],
    [progress(undefined, 301), "ended_at", "must not be in the future: correct the sender's clock"],
    [progress(undefined, 9, IN_PROGRESS), "outcome", "must not be in_progress if ended_at is given"],
    [progress(undefined, 9, ANSWERED), "outcome", "must not be answered if answered_at is missing: send answered_at"],
    [progress(3, undefined, VOICEMAIL), "outcome", "must be in_progress until ended_at is given"],
    [progress(undefined, undefined, MISSED), "outcome", "must be in_progress or unknown until ended_at is given"],
    [progress(undefined, undefined, ABANDONED), "outcome", "must be in_progress or unknown until ended_at is given"],
    [progress(3, 9, UNKNOWN), "outcome", "must be answered or voicemail if answered_at is given"],
    [progress(3, 9, ABANDONED), "outcome", "must be answered or voicemail if answered_at is given"],
    [progress(3, 9, BUSY), "outcome", "must be answered or voicemail if answered_at is given"],
    [progress(3, 9, FAILED), "outcome", "must be answered or voicemail if answered_at is given"],
    [
      progress(3, 9, CallOutcome.UNSPECIFIED),
      "outcome",
      "must be in_progress, answered, missed, busy, failed, voicemail, unknown or abandoned",
    ],
  ])("rejects %o because of %s", (call, field, description) => {
    expect(violationsOf(() => requireValidCallProgress(call, NOW))).toEqual([{ field, description }]);
  });
});

const NO_CHANGES = { answeredAt: undefined, endedAt: undefined, outcome: undefined };

test("rejects new times for an ended call, but accepts its existing times", () => {
  const ended = progress(3, 9);
  expect(updateCallProgress("c", ended, { ...NO_CHANGES, endedAt: at(9), outcome: VOICEMAIL })).toEqual(
    progress(3, 9, VOICEMAIL),
  );
  for (const update of [{ answeredAt: at(4) }, { endedAt: at(10) }]) {
    expect(() => updateCallProgress("c", ended, { ...NO_CHANGES, ...update })).toThrow(
      'call "c" has ended, so its times cannot be changed',
    );
  }
  expect(() => updateCallProgress("c", progress(undefined, 9), { ...NO_CHANGES, answeredAt: at(4) })).toThrow(
    "has ended",
  );
});

test("a call whose answer or outcome is unknown has no duration", () => {
  expect(computeCallDurationSeconds(progress(undefined, 9, UNKNOWN))).toBeUndefined();
  expect(computeCallDurationSeconds(progress(undefined, 9, ANSWERED))).toBeUndefined();
  expect(computeCallDurationSeconds(progress(undefined, 9, ABANDONED))).toBe(0);
});

test("an update that ends an unknown call sets its outcome", () => {
  const unknown = progress(undefined, undefined, UNKNOWN);
  expect(updateCallProgress("c", unknown, { ...NO_CHANGES, endedAt: at(9) })).toEqual(progress(undefined, 9, MISSED));
  expect(updateCallProgress("c", unknown, NO_CHANGES)).toEqual(unknown);
});

test("an update that adds the answer of an unknown call does not make it a call in progress", () => {
  const unknown = progress(undefined, undefined, UNKNOWN);
  const answered = updateCallProgress("c", unknown, { ...NO_CHANGES, answeredAt: at(4) });
  expect(answered).toEqual(progress(4, undefined, ANSWERED));
});

test("an update without an outcome keeps an outcome that does not follow from the times", () => {
  const voicemail = progress(undefined, 9, VOICEMAIL);
  expect(updateCallProgress("c", voicemail, { ...NO_CHANGES, endedAt: at(9) })).toEqual(voicemail);
});

test("successive updates have the same result as one combined update", () => {
  const time = fc.option(fc.nat({ max: 300 }), { nil: undefined });
  fc.assert(
    fc.property(time, time, (answered, ended) => {
      const update = { answeredAt: progress(answered).answeredAt, endedAt: progress(undefined, ended).endedAt };
      const atOnce = updateCallProgress("c", progress(), { ...update, outcome: undefined });
      const answer = updateCallProgress("c", progress(), { ...NO_CHANGES, answeredAt: update.answeredAt });
      expect(updateCallProgress("c", answer, { ...NO_CHANGES, endedAt: update.endedAt })).toEqual(atOnce);
      expect(atOnce).toEqual(progress(answered, ended));
    }),
  );
});
