import type { PrincipalIdentity } from "@calltrack/domain";
import { AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { createHandlerContext } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { readConfig } from "../config/config.js";
import { ClientRateLimiter } from "./client-rate-limiter.js";

const ISSUER = "https://login.example.com";
const KEY_ID = "019aa34f-5c1d-7e52-8c3a-0b1d5f6a7c8e";

/** Distinct principals, some with equal names. */
const ACTORS: readonly PrincipalIdentity[] = [
  { kind: "api_key", id: KEY_ID, prefix: "ct_one" },
  { kind: "api_key", id: KEY_ID.replace("019", "018"), prefix: "ct_two" },
  { kind: "access_token", issuer: ISSUER, subject: "alice" },
  { kind: "access_token", issuer: ISSUER, subject: "bob" },
  { kind: "access_token", issuer: `${ISSUER}/other`, subject: "alice" },
  { kind: "client_certificate", name: "alice" },
  { kind: "client_certificate", name: "bob" },
  { kind: "client_certificate", name: KEY_ID },
  { kind: "client_certificate", name: `${ISSUER} alice` },
];

test("limits each caller separately, whatever its kind", () => {
  const rates = new ClientRateLimiter(readConfig({ RATE_LIMIT_CALLER: "1/h" }).limits);
  const context = () =>
    createHandlerContext({
      service: AccountService,
      method: AccountService.method.listAccounts,
      protocolName: "connect",
      requestMethod: "POST",
      url: "http://localhost/",
    });
  for (const actor of ACTORS) rates.countPrincipal(actor, context());
  for (const actor of ACTORS) expect(() => rates.countPrincipal(actor, context()), JSON.stringify(actor)).toThrow();
});
