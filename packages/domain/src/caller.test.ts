import { expect, test } from "vitest";
import { type Caller, requireOwnAccount, requireScope, requireUnbound, SCOPES, type Scope } from "./caller.js";

function caller(scopes: readonly Scope[], account?: Caller["account"]): Caller {
  return { actor: { kind: "anonymous" }, scopes: new Set(scopes), account };
}

const ACME = { id: 7, token: "acme" };

test.each(SCOPES)("the scope %s is had by those who have it, and by admins", (scope) => {
  for (const has of SCOPES) {
    const check = () => requireScope(caller([has]), scope);
    if (has === scope || has === "admin") expect(check).not.toThrow();
    else expect(check).toThrow(`the caller lacks the scope ${scope}`);
  }
  expect(() => requireScope(caller([...SCOPES]), scope)).not.toThrow();
  expect(() => requireScope(caller([]), scope)).toThrow(`the caller lacks the scope ${scope}`);
});

test("what is of no one account is not for callers that are bound to one", () => {
  expect(() => requireUnbound(caller(["admin"]))).not.toThrow();
  expect(() => requireUnbound(caller(["admin"], ACME))).toThrow('the caller is bound to account "acme"');
});

test.each(["acme", "7"])("a caller that is bound to an account may name it %s", (name) => {
  expect(() => requireOwnAccount(caller([], ACME), name)).not.toThrow();
});

test.each(["globex", "8", "07", "+7", "7.0", "Acme", "acme ", ""])("and no account %o, be it there or not", (name) => {
  expect(() => requireOwnAccount(caller(["admin"], ACME), name)).toThrow(`account "${name}" not found`);
  expect(() => requireOwnAccount(caller([]), name)).not.toThrow();
});
