import { expect, test } from "vitest";
import { makeCertificates } from "../testing/certificates.js";
import { createFolder } from "../testing/create-folder.js";
import { readTlsOptions } from "./tls-options.js";

const { ca, client, clientKey } = await makeCertificates(createFolder(), "CN=client");

test("leaves omitted options to Node.js", () => {
  expect(readTlsOptions({})).toStrictEqual({});
  expect(Object.keys(readTlsOptions({ ca }))).toStrictEqual(["ca"]);
  expect(Object.keys(readTlsOptions({ ca, cert: client, certKey: clientKey }))).toStrictEqual(["ca", "cert", "key"]);
});

test.each([
  [{ ca: "nowhere.pem" }, "nowhere.pem cannot be read: no such file or directory"],
  [{ ca: clientKey }, `${clientKey} is not a certificate in PEM format`],
  [{ cert: "nowhere.pem" }, "nowhere.pem cannot be read: no such file or directory"],
  [{ cert: client }, `${client} and ${client} are not a certificate and its private key in PEM format`],
  [{ cert: client, certKey: ca }, `${client} and ${ca} are not a certificate and its private key in PEM format`],
  [{ certKey: clientKey }, "--cert-key requires --cert"],
])("rejects %o", (files, text) => {
  expect(() => readTlsOptions(files)).toThrow(text);
});
