import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeCertificates } from "./testing/certificates.js";
import { readTlsOptions } from "./tls-options.js";

const folder = mkdtempSync(join(tmpdir(), "calltrack-tls-"));
const { ca, client, clientKey } = await makeCertificates(folder, "CN=client");
afterAll(() => rmSync(folder, { recursive: true }));

test("what is not named is left to Node.js", () => {
  expect(readTlsOptions({})).toStrictEqual({});
  expect(Object.keys(readTlsOptions({ ca }))).toStrictEqual(["ca"]);
  expect(Object.keys(readTlsOptions({ ca, cert: client, certKey: clientKey }))).toStrictEqual(["ca", "cert", "key"]);
});

test.each([
  [{ ca: "nowhere.pem" }, "nowhere.pem can't be read: no such file or directory"],
  [{ ca: clientKey }, `${clientKey} is no certificate in PEM`],
  [{ cert: "nowhere.pem" }, "nowhere.pem can't be read: no such file or directory"],
  [{ cert: client }, `${client} and ${client} are no certificate and its key in PEM`],
  [{ cert: client, certKey: ca }, `${client} and ${ca} are no certificate and its key in PEM`],
  [{ certKey: clientKey }, "--cert-key is the key of what --cert names"],
])("%o is refused", (files, text) => {
  expect(() => readTlsOptions(files)).toThrow(text);
});
