import { describe, expect, test } from "vitest";
import { LibraryService } from "../gen/library/v1/library_pb.js";
import { formatPathTemplate } from "../routing/path-template.js";

import { addAliasRules } from "./path-alias.js";
import { readHttpRules } from "./read-http-rules.js";

const rules = readHttpRules([LibraryService]);
const paths = rules.map(({ template }) => formatPathTemplate(template));

describe("a path alias", () => {
  test.each(["/v1beta", "/library/v1"])("adds a rule for each path that has the prefix: %s", (alias) => {
    const added = addAliasRules(rules, { [alias]: "/v1" }).slice(rules.length);
    const begun = paths.filter((path) => /^\/v1[/:]/.test(path));
    expect(added.map(({ template }) => formatPathTemplate(template))).toEqual(
      begun.map((path) => path.replace("/v1", alias)),
    );
    const locations = added.map(({ response }) => response?.location).filter(Boolean);
    expect(locations.length).toBeGreaterThan(0);
    expect(locations.every((location) => location?.startsWith(`${alias}/`))).toBe(true);
  });

  test("keeps the original rules unchanged", () => {
    expect(addAliasRules(rules, { "/v1beta": "/v1" }).slice(0, rules.length)).toEqual(rules);
    expect(addAliasRules(rules, {})).toEqual(rules);
  });

  test.each([
    [{ "/a": "/nowhere" }, 'pathAliases "/a": no path begins with "/nowhere"'],
    [{ "/a": "/v" }, 'pathAliases "/a": no path begins with "/v"'],
    [{ "/*": "/v1" }, 'pathAliases: "/*" must consist of literal segments, as in /v1'],
    [{ "/a": "/{name}" }, 'pathAliases: "/{name}" must consist of literal segments, as in /v1'],
    [{ "/a": "/v1/shelves" }, "has a variable that contains a part of"],
  ])("is rejected if it cannot be served: %o", (aliases, message) => {
    expect(() => addAliasRules(rules, aliases as Record<string, string>)).toThrow(message);
  });
});
