import { expect, test } from "vitest";
import { type Caller, requireOwnAccount, requireScope, requireUnbound } from "./caller.js";
import { SCOPES, type Scope } from "./scope.js";

function caller(scopes: readonly Scope[], account?: Caller["account"]): Caller {
  return { actor: { kind: "anonymous" }, scopes: new Set(scopes), account };
}

const ACME = { id: 7, token: "acme" };

test.each(SCOPES)("requireScope accepts callers with the scope %s, and admins", (scope) => {
  for (const has of SCOPES) {
    const check = () => requireScope(caller([has]), scope);
    if (has === scope || has === "admin") expect(check).not.toThrow();
    else expect(check).toThrow(`the caller lacks the scope ${scope}`);
  }
  expect(() => requireScope(caller([...SCOPES]), scope)).not.toThrow();
  expect(() => requireScope(caller([]), scope)).toThrow(`the caller lacks the scope ${scope}`);
});

test("requireUnbound rejects callers that are bound to an account", () => {
  expect(() => requireUnbound(caller(["admin"]))).not.toThrow();
  expect(() => requireUnbound(caller(["admin"], ACME))).toThrow('the caller is bound to account "acme"');
});

test.each(["acme", "7"])("requireOwnAccount accepts the caller's own account as %s", (name) => {
  expect(() => requireOwnAccount(caller([], ACME), name)).not.toThrow();
});

test.each(["globex", "8", "07", "+7", "7.0", "Acme", "acme ", ""])(
  "requireOwnAccount rejects %o as not found",
  (name) => {
    expect(() => requireOwnAccount(caller(["admin"], ACME), name)).toThrow(`account "${name}" not found`);
    expect(() => requireOwnAccount(caller([]), name)).not.toThrow();
  },
);
