import { expect, test } from "vitest";
import { describeBehavior } from "../../testing/behavior.js";
import { requireRefusal } from "../../testing/refusal.js";

// `access-matrix.test.ts` covers the clients of a server that requires authentication.
describeBehavior("callers without authentication", (service) => {
  test("may do everything", async () => {
    expect(await service.api.whoAmI()).toEqual({
      credential: "none",
      id: null,
      description: null,
      issuer: null,
      scopes: ["admin"],
      account_token: null,
      expires_at: null,
    });
  });

  test("get an error for an unknown field", async () => {
    expect(await requireRefusal(service.clients.json.whoAmI({ scopes: "read" }))).toMatchObject({
      status: "INVALID_ARGUMENT",
      violations: [{ field: "scopes", description: expect.stringContaining("unknown") }],
    });
  });
});
