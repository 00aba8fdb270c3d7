import { describe, expect, test } from "vitest";
import { signWebhookRequest } from "./webhook-signature.js";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

describe("signWebhookRequest", () => {
  test("signs the example of Standard Webhooks", () => {
    const time = new Date(1_614_265_330_000);
    expect(signWebhookRequest("msg_p5jXN8AQM9LWM0D4loKWxJek", time, '{"test": 2432232314}', [SECRET])).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("has a signature by each secret, separated by spaces", () => {
    const other = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    const sign = (...secrets: string[]) => signWebhookRequest("id", new Date(0), "☎", secrets)["webhook-signature"];
    expect(sign(SECRET, other)).toBe(`${sign(SECRET)} ${sign(other)}`);
  });
});
