import { expect, test } from "vitest";
import { type Principal, rejectAccountBoundPrincipal, requireAccessibleAccount, requireScope } from "./principal.js";
import { SCOPES, type Scope } from "./scope.js";

function principal(scopes: readonly Scope[], account?: Principal["account"]): Principal {
  return { actor: { kind: "anonymous" }, scopes: new Set(scopes), account };
}

const ACME = { id: 7, token: "acme" };

test.each(SCOPES)("requireScope accepts callers with the scope %s, and admins", (scope) => {
  for (const has of SCOPES) {
    const check = () => requireScope(principal([has]), scope);
    if (has === scope || has === "admin") expect(check).not.toThrow();
    else expect(check).toThrow(`the caller lacks the scope ${scope}`);
  }
  expect(() => requireScope(principal([...SCOPES]), scope)).not.toThrow();
  expect(() => requireScope(principal([]), scope)).toThrow(`the caller lacks the scope ${scope}`);
});

test("rejectAccountBoundPrincipal rejects callers that are bound to an account", () => {
  expect(() => rejectAccountBoundPrincipal(principal(["admin"]))).not.toThrow();
  expect(() => rejectAccountBoundPrincipal(principal(["admin"], ACME))).toThrow(
    'the caller is bound to account "acme"',
  );
});

test.each(["acme", "7"])("requireAccessibleAccount accepts the principal's own account as %s", (name) => {
  expect(() => requireAccessibleAccount(principal([], ACME), name)).not.toThrow();
});

test.each(["globex", "8", "07", "+7", "7.0", "Acme", "acme ", ""])(
  "requireAccessibleAccount rejects %o as not found",
  (name) => {
    expect(() => requireAccessibleAccount(principal(["admin"], ACME), name)).toThrow(`account "${name}" not found`);
    expect(() => requireAccessibleAccount(principal([]), name)).not.toThrow();
  },
);

test("accepts either of two alternative scopes", () => {
  for (const has of ["dni", "calls", "admin"] as const) {
    expect(() => requireScope(principal([has]), "dni", "calls")).not.toThrow();
  }
  expect(() => requireScope(principal(["read", "write"]), "dni", "calls")).toThrow();
});
