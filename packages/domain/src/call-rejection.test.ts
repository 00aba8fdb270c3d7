import { expect, test } from "vitest";
import { findCallLoop } from "./call-rejection.js";

const ORIGINAL = "+12125550100";
const DIALED = { trackingNumber: "+12225550142", originalNumber: ORIGINAL };

const [SIBLING, RELEASED, FOREIGN, PERSON] = ["+12225550143", "+12225550144", "+12225550145", "+14155550123"];

const ROUTES = new Map([
  [DIALED.trackingNumber, { originalNumber: ORIGINAL, isReleased: false }],
  [SIBLING, { originalNumber: ORIGINAL, isReleased: false }],
  [RELEASED, { originalNumber: ORIGINAL, isReleased: true }],
  [FOREIGN, { originalNumber: "+12125550199", isReleased: false }],
]);

const WHICH = `a tracking number that leads to ${ORIGINAL}, as the dialed number does`;

test.each<[name: string, caller: string | undefined, redirections: readonly string[], description: string | undefined]>(
  [
    ["a person's", PERSON, [], undefined],
    ["a withheld caller's", undefined, [], undefined],
    ["of another number of the business", SIBLING, [], `the caller's number ${SIBLING} is ${WHICH}`],
    [
      "of the dialed number to itself",
      DIALED.trackingNumber,
      [],
      `the caller's number ${DIALED.trackingNumber} is ${WHICH}`,
    ],
    ["of a number that was given back", RELEASED, [RELEASED], undefined],
    ["of a number of another business", FOREIGN, [FOREIGN], undefined],
    ["of the business itself", ORIGINAL, [ORIGINAL], undefined],
    ["that names the dialed number as redirecting", PERSON, [DIALED.trackingNumber], undefined],
    ["that names it twice, as a mobile phone forwards on", PERSON, [PERSON, DIALED.trackingNumber], undefined],
    [
      "that another number redirected",
      PERSON,
      [DIALED.trackingNumber, SIBLING],
      `the call was redirected by ${SIBLING}, which is ${WHICH}`,
    ],
    [
      "that a withheld caller made to another number",
      undefined,
      [SIBLING],
      `the call was redirected by ${SIBLING}, which is ${WHICH}`,
    ],
  ],
)("findCallLoop: a call %s", (_, caller, redirections, description) => {
  const found = findCallLoop(DIALED, { caller, redirections }, (number) => ROUTES.get(number));
  expect(found).toEqual(description && { reason: "LOOP", description });
});
