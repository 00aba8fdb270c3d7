import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryTemplate } from "../testing/arbitrary-template.js";
import { parsePathTemplate } from "./parse-path-template.js";
import { formatPathShape, formatPathTemplate, type PathTemplate } from "./path-template.js";
import { createRouter, type Route, type RouteMatch, type RouterOptions } from "./router.js";

/** Parses routes such as `GET /v1/{name}`. The value of each route is the parsed text. */
function parseRoutes(texts: readonly string[]): Route<string>[] {
  return texts.map((text) => {
    const [method = "", template = ""] = text.split(" ");
    return { method, template: parsePathTemplate(template), value: text };
  });
}

function route(routes: readonly string[], request: string, options?: RouterOptions): string {
  const [method = "", path = ""] = request.split(" ");
  return describeMatch(createRouter(parseRoutes(routes), options).route(method, path));
}

/** Formats a match as one line: the route with its path values, the allowed methods, or the kind of the match. */
function describeMatch(match: RouteMatch<string>): string {
  if (match.kind === "found") return [match.route.value, ...match.values.map((value) => `"${value}"`)].join(" ");
  return match.kind === "method_not_allowed" ? match.allow.join() : match.kind;
}

describe("rule 2: matches the raw path", () => {
  test.each([
    ["GET /v1/{a}", "/v1/x%2Fy", 'GET /v1/{a} "x/y"'],
    ["GET /v1/{a}/{b}", "/v1/x%2Fy", "not_found"],
    ["GET /v1/{a}", "/v1/x%252Fy", 'GET /v1/{a} "x%2Fy"'],
    ["GET /v1/{a}", "/v1/..", 'GET /v1/{a} ".."'],
    ["GET /v1/{a}", "/v1/%2e%2e", 'GET /v1/{a} ".."'],
    ["GET /v1/{a}", "/v2/../v1/x", "not_found"],
    ["GET /v1/{a}", "/v1/x+y", 'GET /v1/{a} "x+y"'],
    ["GET /v1/{a=**}", "/v1/x/../y/./z", 'GET /v1/{a=**} "x/../y/./z"'],
    ["GET /v1/{a=**}", "/v1/x%2Fy%3a/z", 'GET /v1/{a=**} "x%2Fy:/z"'],
    ["GET /v1/{a}", "", "not_found"],
    ["GET /v1/{a}", "*", "not_found"],
    ["GET /v1/{a}", "v1/x", "not_found"],
    ["GET /v1/{a}", "http://localhost/v1/x", "not_found"],
  ])("%s matches %s: %s", (template, path, expected) => {
    expect(route([template], `GET ${path}`)).toBe(expected);
  });

  test("rule 3: keeps reserved characters encoded in several segments with keepReserved", () => {
    const routes = ["GET /v1/{a}/{b=**}"];
    expect(route(routes, "GET /v1/%3A/%3A%20", { keepReserved: true })).toBe('GET /v1/{a}/{b=**} ":" "%3A "');
  });
});

describe("rule 4: the parts of a template", () => {
  test.each([
    ["GET /", "/", "GET /"],
    ["GET /", "//", "not_found"],
    ["GET /a", "/", "not_found"],
    ["GET /{a}", "/", "not_found"],
    ["GET /a/{b}", "/a/", "not_found"],
    ["GET /a/{b}/c", "/a//c", "not_found"],
    ["GET /a/{b}", "/a/b/c", "not_found"],
    ["GET /a/b/c", "/a/b", "not_found"],
    ["GET /{a=**}", "/", 'GET /{a=**} ""'],
    ["GET /a/{b=**}", "/a", 'GET /a/{b=**} ""'],
    ["GET /{b=a/**}", "/a", 'GET /{b=a/**} "a"'],
    ["GET /{b=a/**}", "/a/x/y", 'GET /{b=a/**} "a/x/y"'],
    ["GET /{b=a/**}", "/a/x//y/", 'GET /{b=a/**} "a/x//y/"'],
    ["GET /{b=a/**}/c/{d}", "/a/c/x", 'GET /{b=a/**}/c/{d} "a" "x"'],
    ["GET /{b=a/**}/c/{d}", "/a/c/c/c/x", 'GET /{b=a/**}/c/{d} "a/c/c" "x"'],
    ["GET /{b=a/**}/c/{d}", "/a/c", "not_found"],
    ["GET /{b=a/**}/c/{d}", "/a/x/c/", "not_found"],
    ["GET /a/**/a", "/a", "not_found"],
    ["GET /a/**/a", "/a/a", "GET /a/**/a"],
    ["GET /Books", "/books", "not_found"],
    ["GET /books", "/%62ooks", "GET /books"],
    ["GET /%62ooks", "/books", "GET /%62ooks"],
    ["GET /a%2fb", "/a%2Fb", "GET /a%2fb"],
    ["GET /a%2Fb", "/a/b", "not_found"],
    ["GET /a%2Cb", "/a,b", "not_found"],
    ["GET /%C3%A9", "/%c3%a9", "GET /%C3%A9"],
    ["GET /a:move", "/a:m%6Fve", "GET /a:move"],
    ["GET /a:move", "/a:Move", "not_found"],
    ["GET /%2A", "/*", "not_found"],
    ["GET /constructor/{a}", "/__proto__/a", "not_found"],
  ])("%s and %s: %s", (template, path, expected) => {
    expect(route([template], `GET ${path}`)).toBe(expected);
  });

  test.each([
    ["GET /a", "/a/", "not_found", "GET /a"],
    ["GET /a", "/a//", "not_found", "not_found"],
    ["GET /a/{b}", "/a/x/", "not_found", 'GET /a/{b} "x"'],
    ["GET /a/{b}", "/a/", "not_found", "not_found"],
    ["GET /a/{b=**}", "/a/x/", 'GET /a/{b=**} "x/"', 'GET /a/{b=**} "x"'],
    ["GET /a/{b=**}", "/a/", 'GET /a/{b=**} ""', 'GET /a/{b=**} ""'],
    ["GET /a:go", "/a:go/", "not_found", "GET /a:go"],
    ["GET /", "/", "GET /", "GET /"],
  ])("treats a trailing slash of %s and %s: strict %s, ignore %s", (template, path, strict, ignore) => {
    expect(route([template], `GET ${path}`)).toBe(strict);
    expect(route([template], `GET ${path}`, { trailingSlash: "strict" })).toBe(strict);
    expect(route([template], `GET ${path}`, { trailingSlash: "ignore" })).toBe(ignore);
  });
});

describe("rule 5: a colon starts a verb or belongs to a value", () => {
  const ROUTES = [
    "GET /v1/{a}",
    "POST /v1/{a}:move",
    "GET /v1/{a}:copy",
    "GET /f/{p=**}",
    "GET /f/{p=**}:get",
    "GET /r:go",
  ];
  test.each([
    ["GET /v1/x:copy", 'GET /v1/{a}:copy "x"'],
    ["GET /v1/x:y:copy", 'GET /v1/{a}:copy "x:y"'],
    ["GET /v1/x:other", 'GET /v1/{a} "x:other"'],
    ["GET /v1/x%3Acopy", 'GET /v1/{a} "x:copy"'],
    ["GET /v1/x:", 'GET /v1/{a} "x:"'],
    ["GET /v1/:", 'GET /v1/{a} ":"'],
    // "*" never matches an empty segment, so ":copy" is not a verb but the value of `{a}`.
    ["GET /v1/:copy", 'GET /v1/{a} ":copy"'],
    ["POST /v1/x:move", 'POST /v1/{a}:move "x"'],
    // The template with the verb has no GET route.
    ["GET /v1/x:move", 'GET /v1/{a} "x:move"'],
    ["GET /f/a:b/c:get", 'GET /f/{p=**}:get "a:b/c"'],
    ["GET /f:get", 'GET /f/{p=**}:get ""'],
    ["GET /f/:get", 'GET /f/{p=**}:get ""'],
    ["GET /f/a:get/c", 'GET /f/{p=**} "a:get/c"'],
    ["GET /r:go", "GET /r:go"],
    ["GET /r", "not_found"],
    ["GET /r:stay", "not_found"],
  ])("%s: %s", (request, expected) => {
    expect(route(ROUTES, request)).toBe(expected);
  });

  test("matches the verb of a wildcard at the root", () => {
    expect(route(["GET /{a=**}:get"], "GET /:get")).toBe('GET /{a=**}:get ""');
  });
});

describe("rule 6: the most specific route wins", () => {
  test.each<[request: string, routes: readonly string[], expected: string]>([
    ["GET /a/b", ["GET /a/b", "GET /a/{x}", "GET /a/{x=**}", "GET /{x=**}"], "GET /a/b"],
    ["GET /a/c", ["GET /a/b", "GET /a/{x}", "GET /a/{x=**}", "GET /{x=**}"], 'GET /a/{x} "c"'],
    ["GET /a/c/d", ["GET /a/b", "GET /a/{x}", "GET /a/{x=**}", "GET /{x=**}"], 'GET /a/{x=**} "c/d"'],
    ["GET /d", ["GET /a/b", "GET /a/{x}", "GET /a/{x=**}", "GET /{x=**}"], 'GET /{x=**} "d"'],
    ["GET /a", ["GET /a", "GET /a/{x=**}"], "GET /a"],
    // The first segment that differs between the templates decides.
    ["GET /a/b", ["GET /a/{x}", "GET /{x}/b"], 'GET /a/{x} "b"'],
    // Backtracks from a literal, from a single wildcard and from a tail.
    ["GET /a/b/d", ["GET /a/b/c", "GET /a/{x}/e", "GET /{x}/b/d"], 'GET /{x}/b/d "a"'],
    ["GET /a/b/z", ["GET /a/b/c", "GET /a/{x}/c", "GET /{x=**}"], 'GET /{x=**} "a/b/z"'],
    ["GET /a/x/c", ["GET /a/**/b", "GET /{x=**}/c"], 'GET /{x=**}/c "a/x"'],
    // After a "**", the longer tail takes precedence, and then the literal.
    ["GET /f/x/v/1", ["GET /f/{p=**}", "GET /f/{p=**}/v/{n}"], 'GET /f/{p=**}/v/{n} "x" "1"'],
    ["GET /f/x/v", ["GET /f/{p=**}", "GET /f/{p=**}/v/{n}"], 'GET /f/{p=**} "x/v"'],
    ["GET /f/x/v", ["GET /f/{p=**}/{q}", "GET /f/{p=**}/v"], 'GET /f/{p=**}/v "x"'],
    ["GET /f/x/v", ["GET /f/{p=**}/{q}/{r}", "GET /f/{p=**}/v"], 'GET /f/{p=**}/{q}/{r} "" "x" "v"'],
    ["GET /f/v", ["GET /f/{q}", "GET /f/{p=**}/v"], 'GET /f/{q} "v"'],
    // A verb takes precedence over segments.
    ["GET /a/b:go", ["GET /a/{x}", "GET /{x=**}:go"], 'GET /{x=**}:go "a/b"'],
    ["GET /a/b:go", ["GET /a/{x}:go", "GET /{x=**}:go", "GET /a/b:go"], "GET /a/b:go"],
    // The method is part of the match.
    ["POST /a/b", ["GET /a/b", "POST /a/{x}"], 'POST /a/{x} "b"'],
    ["POST /a/b", ["GET /a/b", "GET /a/{x}", "POST /{x=**}"], 'POST /{x=**} "a/b"'],
    ["POST /a/b", ["* /a/b", "POST /a/{x}"], "* /a/b"],
    ["POST /a/b", ["* /a/b", "POST /a/b"], "POST /a/b"],
    ["QUERY /a", ["* /a", "POST /a"], "* /a"],
    ["get /a", ["GET /a"], "GET,HEAD,OPTIONS"],
  ])("%s among %j: %s", (request, routes, expected) => {
    expect(route(routes, request)).toBe(expected);
    expect(route(routes.toReversed(), request)).toBe(expected);
  });

  test.each<[request: string, routes: readonly string[], expected: string]>([
    ["PUT /a", ["GET /a", "POST /a"], "GET,HEAD,OPTIONS,POST"],
    ["PUT /a", ["POST /a", "PATCH /{x}", "DELETE /{x=**}", "GET /b"], "DELETE,OPTIONS,PATCH,POST"],
    ["GET /a:go", ["POST /{x}:go", "PUT /{x}"], "OPTIONS,POST,PUT"],
    ["GET /b", ["POST /a"], "not_found"],
  ])("returns a sorted Allow for the 405 of %s among %j: %s", (request, routes, expected) => {
    expect(route(routes, request)).toBe(expected);
    expect(route(routes.toReversed(), request)).toBe(expected);
  });

  test("does not depend on the order of registration", () => {
    fc.assert(
      fc.property(shuffledRoutes, fc.array(arbitraryPath, { minLength: 5 }), ([routes, shuffled], paths) => {
        const [one, other] = [createRouter(routes), createRouter(shuffled)];
        for (const path of paths) {
          for (const method of ["GET", "HEAD", "POST"]) {
            expect(other.route(method, path)).toEqual(one.route(method, path));
          }
          expect(other.allow(path)).toEqual(one.allow(path));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("finds a route if and only if a router with only one of the routes finds it", () => {
    fc.assert(
      fc.property(shuffledRoutes, arbitraryPath, ([routes], path) => {
        const alone = routes.some((route) => createRouter([route]).route("GET", path).kind === "found");
        expect(createRouter(routes).route("GET", path).kind === "found").toBe(alone);
      }),
      { numRuns: 300 },
    );
  });
});

describe("rule 7: rejects a malformed path before anything else", () => {
  test.each(["/v1/%", "/v1/%FF", "/v1/%zz", "/nowhere/%C3", "/v1/é"])("%s", (path) => {
    const router = createRouter(parseRoutes(["GET /v1/{a}"]));
    expect(router.route("GET", path)).toEqual({ kind: "malformed", message: expect.any(String) });
    expect(router.route("PUT", path).kind).toBe("malformed");
    expect(router.allow(path)).toEqual([]);
  });
});

describe("rule 8: rejects a duplicate method and shape", () => {
  test.each([
    ["GET /v1/{a}", "GET /v1/{b}"],
    ["GET /v1/{a=x/*}", "GET /v1/x/*"],
    ["GET /v1/{a=**}:go", "GET /v1/{b=**}:go"],
    ["GET /%62", "GET /b"],
    ["GET /", "GET /"],
    ["* /a", "* /a"],
  ])("%s and %s", (...texts) => {
    const [first, second] = parseRoutes(texts);
    const message = expect.stringMatching(/^there are two routes for (GET|\*) \/.*: remove one of them/);
    expect(() => createRouter(parseRoutes(texts))).toThrow(
      expect.objectContaining({ name: "RouteConflictError", first, second, message }),
    );
  });

  test.each([
    ["GET /v1/{a}", "POST /v1/{a}"],
    ["GET /v1/{a}", "GET /v1/{a}:go"],
    ["GET /v1/{a}", "GET /v1/{a=**}"],
    ["GET /v1/**/a", "GET /v1/**"],
    ["GET /a", "GET /A"],
    ["GET /a", "* /a"],
  ])("accepts %s and %s", (...texts) => {
    expect(() => createRouter(parseRoutes(texts))).not.toThrow();
  });
});

describe("rule 21: HEAD and Allow", () => {
  test.each<[request: string, routes: readonly string[], expected: string]>([
    ["HEAD /a", ["GET /a"], "GET /a"],
    ["HEAD /a", ["GET /a", "HEAD /a"], "HEAD /a"],
    ["HEAD /a", ["GET /a", "HEAD /{x}"], "GET /a"],
    ["HEAD /a", ["* /a", "GET /a"], "GET /a"],
    ["HEAD /a", ["POST /a"], "OPTIONS,POST"],
    ["OPTIONS /a", ["GET /a"], "GET,HEAD,OPTIONS"],
    ["OPTIONS /a", ["GET /a", "OPTIONS /a"], "OPTIONS /a"],
    ["OPTIONS /a", ["* /a"], "DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT"],
  ])("%s among %j: %s", (request, routes, expected) => {
    expect(route(routes, request)).toBe(expected);
  });

  test.each<[path: string, allow: readonly string[]]>([
    ["/a", ["GET", "HEAD", "OPTIONS", "PUT"]],
    ["/b", ["DELETE", "OPTIONS"]],
    ["/any", ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]],
    ["/a/b", []],
  ])("%s allows %j", (path, allow) => {
    const router = createRouter(parseRoutes(["PUT /a", "GET /a", "DELETE /b", "* /any"]));
    expect(router.allow(path)).toEqual(allow);
  });
});

/** A small alphabet, so that paths often match templates. */
const meetingTemplate: fc.Arbitrary<PathTemplate> = fc
  .record({
    segments: fc.array(fc.constantFrom("a", "b", "*", "{v}", "**"), { minLength: 1, maxLength: 5 }),
    verb: fc.constantFrom("", ":go"),
  })
  .filter(({ segments }) => segments.filter((segment) => segment === "**").length < 2)
  .map(({ segments, verb }) => {
    const text = segments.map((segment, index) => (segment === "{v}" ? `{v${index}}` : segment)).join("/");
    return parsePathTemplate(`/${text}${verb}`);
  });

const arbitraryRoutes = fc.uniqueArray(
  fc
    .record({
      method: fc.constantFrom("GET", "POST", "HEAD", "*"),
      template: fc.oneof({ weight: 9, arbitrary: meetingTemplate }, arbitraryTemplate),
    })
    .map((route) => ({ ...route, value: `${route.method} ${formatPathTemplate(route.template)}` })),
  {
    minLength: 1,
    maxLength: 12,
    selector: ({ method, template }) => `${method} ${formatPathShape(template)}`,
  },
);

const shuffledRoutes = arbitraryRoutes.chain((routes) =>
  fc.tuple(fc.constant(routes), fc.shuffledSubarray(routes, { minLength: routes.length })),
);

const arbitraryPath = fc
  .record({
    segments: fc.array(fc.constantFrom("a", "b", "c", "", "%61", "a:go"), { maxLength: 6 }),
    verb: fc.constantFrom("", "", ":go"),
  })
  .map(({ segments, verb }) => `/${segments.join("/")}${verb}`);
