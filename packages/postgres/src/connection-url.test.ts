import { expect, test } from "vitest";
import { parseConnectionUrl } from "./connection-url.js";

const NO_CHECK = { rejectUnauthorized: false };

test.each([
  ["postgres://", {}],
  ["postgresql://localhost", { host: "localhost" }],
  ["postgres://user@db.example/calls", { user: "user", host: "db.example", database: "calls" }],
  ["postgres://u:p%40s%2Fs@h:6432/d%20b", { user: "u", password: "p@s/s", host: "h", port: 6432, database: "d b" }],
  ["postgres://u@[2001:db8::1]:5433/d", { user: "u", host: "2001:db8::1", port: 5433, database: "d" }],
  ["postgres://u@/d?host=/run/postgresql", { user: "u", host: "/run/postgresql", database: "d", ssl: false }],
  ["postgres://%2Frun%2Fpostgresql/d", { host: "/run/postgresql", database: "d", ssl: false }],
  [
    "postgres:///d?host=h&port=5433&user=u&password=p",
    { host: "h", port: 5433, user: "u", password: "p", database: "d" },
  ],
  ["postgres://h/d?dbname=other", { host: "h", database: "other" }],
  [
    "postgres://h?application_name=a&options=-c%20jit%3Doff",
    { host: "h", application_name: "a", options: "-c jit=off" },
  ],
  ["postgres://h?application_name=a+b%20c&password=p+q", { host: "h", application_name: "a+b c", password: "p+q" }],
  ["postgres://h?options=-c+jit%3Doff", { host: "h", options: "-c jit=off" }],
  ["postgres://h?fallback_application_name=a&target_session_attrs=primary", { host: "h", application_name: "a" }],
  ["postgres://h?client_encoding=utf8&gssencmode=disable&channel_binding=prefer", { host: "h" }],
  ["postgres://h?sslmode=disable", { host: "h", ssl: false }],
  ["postgres://h?sslmode=require&uselibpqcompat=true", { host: "h", ssl: NO_CHECK }],
  ["postgres://h?sslmode=no-verify", { host: "h", ssl: NO_CHECK }],
  ["postgres://h?sslmode=verify-full&sslrootcert=system", { host: "h", ssl: {} }],
  ["postgres://h?sslnegotiation=direct", { host: "h", ssl: {}, sslnegotiation: "direct" }],
  ["postgres://h?ssl=true", { host: "h", ssl: {} }],
  ["postgres://h?ssl=1", { host: "h", ssl: {} }],
  ["postgres://h?ssl=no-verify", { host: "h", ssl: NO_CHECK }],
  ["postgres://h?ssl=false", { host: "h", ssl: false }],
  ["postgres://h?ssl=0", { host: "h", ssl: false }],
])("reads %s", (url, client) => {
  expect(parseConnectionUrl(url).client).toEqual(client);
});

test("reads connect_timeout and pgbouncer", () => {
  expect(parseConnectionUrl("postgres://h?connect_timeout=3&pgbouncer=true")).toMatchObject({
    connectTimeoutMs: 3000,
    isPgBouncer: true,
  });
  expect(parseConnectionUrl("postgres://h?pgbouncer=false")).toMatchObject({ isPgBouncer: false });
});

test.each([
  ["mysql://u:secret@h/d", "be a URL"],
  ["/run/postgresql secret", "be a URL"],
  ["postgres://u:se@secret@h/d", "%40 for @"],
  ["postgres://u:se/secret@h/d", "be a URL"],
  ["postgres://u:1?secret@h/d", "be a URL"],
  ["postgres://u:1#secret@h/d", "be a URL"],
  ["postgres://u:%zzsecret@h/d", "be a URL"],
  ["postgres://a:1,b:2/d", "one host"],
  ["postgres:///d?host=a,b", "one host"],
  ["postgres://h:0/d", "port"],
  ["postgres://h:99999/d", "port"],
  ["postgres://h?pgbouncer=secret", "pgbouncer to true or false"],
  ["postgres://h?sslmode=prefer", "sslmode to disable, require, verify-ca, verify-full or no-verify"],
  ["postgres://h?sslmode=verify-ca", "sslrootcert"],
  ["postgres://h?sslmode=require&sslrootcert=system", "sslmode to verify-full"],
  ["postgres://h?ssl=maybe", "ssl to true"],
  ["postgres://h?ssl=", "ssl to true"],
  ["postgres://h?sslnegotiation=later", "sslnegotiation"],
  ["postgres://h?sslrootcert=/missing.pem", "sslrootcert to a readable file: ENOENT"],
  ["postgres://h?sslrootcert=/missing.pem&sslmode=verify-full", "sslrootcert to a readable file: ENOENT"],
  ["postgres://h?sslcert=/missing.pem", "both sslcert and sslkey"],
  [`postgres://h?sslcert=${import.meta.filename}&sslkey=${import.meta.filename}`, "PEM files"],
  ["postgres://h?target_session_attrs=standby", "target_session_attrs"],
  ["postgres://h?channel_binding=require", "channel_binding"],
  ["postgres://h?client_encoding=latin1", "client_encoding"],
  ["postgres://h?connect_timeout=soon", "connect_timeout"],
  ["postgres://h?service=calls", "parameter service: use only host"],
  ["postgres://h?constructor=1", "parameter constructor"],
])("rejects %s without quoting a password", (url, rule) => {
  const parse = () => parseConnectionUrl(url);
  expect(parse).toThrow(/^must /);
  expect(parse).toThrow(rule);
  expect(parse).not.toThrow("secret");
});
