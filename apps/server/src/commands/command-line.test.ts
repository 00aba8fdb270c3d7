import { expect, test } from "vitest";
import { parseCommandLine } from "./command-line.js";

test.each([
  "--help",
  "-h",
  "help migrate",
  "serve --help",
  "migrate --help",
  "create-admin-key --help",
  "--help distribute",
  "backup copy -h",
  "dump --help",
  "restore --help",
  "openapi --help",
])("%s asks for help", (words) => {
  expect(parseCommandLine(words.split(" "))).toMatchObject({ command: "help" });
});

test.each([
  ["--version", "version"],
  ["serve --version", "version"],
  ["--version --help", "help"],
])("%s asks for the %s", (words, command) => {
  expect(parseCommandLine(words.split(" "))).toMatchObject({ command });
});

test.each([
  ["migrate --quiet", "Unknown option '--quiet'"],
  ["create-admin-key -n", "Unknown option '-n'"],
  ["--port 8080", "Unknown option '--port'"],
  ["serve --help=no", "Option '-h, --help' does not take an argument"],
  ["create-admin-key acme", "unexpected argument acme"],
  ["serve 8080", "unexpected argument 8080"],
  ["dump a.dump b.dump", "unexpected argument b.dump"],
  ["dump --gzip", "Unknown option '--gzip'"],
])("rejects the arguments of %s with the usage", (words, reason) => {
  const parse = () => parseCommandLine(words.split(" "));
  expect(parse).toThrow(reason);
  expect(parse).toThrow("\n\nUsage: calltrack-server [serve |");
});
