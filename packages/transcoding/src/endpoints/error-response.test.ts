import { setTimeout } from "node:timers/promises";
import { create, createRegistry } from "@bufbuild/protobuf";
import { anyPack, DurationSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import { WellKnownSchema } from "../gen/library/v1/all_kinds_pb.js";
import { AuthorSchema, BookSchema, Genre } from "../gen/library/v1/library_pb.js";
import type { FailedRpc } from "../responses/failure.js";
import { ERROR_CODES } from "../testing/codes.js";
import { createLibrary, type LibraryMethods } from "../testing/library.js";
import { testRuntimes } from "../testing/test-runtime.js";
import type { TranscoderOptions } from "../transcoder/transcoder-options.js";

const GET_SHELF = { target: "/v1/shelves/7" };
const errorInfo = (reason: string) => ({
  "@type": "type.googleapis.com/google.rpc.ErrorInfo",
  reason,
  domain: "library",
});

function failing(error: unknown, options = {}) {
  const getShelf = () => {
    throw error;
  };
  return createLibrary({ getShelf }, { errors: { domain: "library" }, ...options });
}

describe.each(testRuntimes)("over $name", ({ serve, serveLibrary }) => {
  test.each([
    ["SHELF_CHANGED", 412],
    ["SHELF_LOCKED", 409],
  ])("rule 20: returns the declared status of a failure with the reason %s, %i", async (reason, code) => {
    const updateShelf = () => {
      throw new ConnectError("read it again", Code.Aborted, undefined, [{ desc: ErrorInfoSchema, value: { reason } }]);
    };
    await using server = await serveLibrary({ updateShelf });
    const response = await server.send({ method: "PUT", target: "/v1/shelves/7", body: "{}" });
    expect(response.status).toBe(code);
    expect(response.error).toMatchObject({ code, status: "ABORTED" });
  });

  test.each(ERROR_CODES)("rule 20: maps code %i to HTTP %i, %s", async (code, httpStatus, status) => {
    await using server = await serve(failing(new ConnectError("what to do", code)));
    const response = await server.send(GET_SHELF);
    expect(response).toMatchObject({ status: httpStatus, headers: { "content-type": "application/json" } });
    expect(JSON.parse(response.text)).toEqual({
      error: { code: httpStatus, status, message: "what to do", details: [errorInfo(status)] },
    });
  });

  test.each([
    [{}, "fieldViolations", "retryDelay", "localizedMessage"],
    [{ fieldNames: "proto" }, "field_violations", "retry_delay", "localized_message"],
    [{ fieldNames: "proto", unset: "null" }, "field_violations", "retry_delay", "localized_message"],
  ] as const)(
    "rule 20: writes details with their types, spelled by the JSON options %j",
    async (json, fieldViolations, retryDelay, localizedMessage) => {
      const localized = { locale: "en", message: "what to do" };
      const error = new ConnectError("what to do", Code.InvalidArgument, undefined, [
        { desc: BadRequestSchema, value: { fieldViolations: [{ field: "size", localizedMessage: localized }] } },
        { desc: RetryInfoSchema, value: { retryDelay: { seconds: 2n } } },
      ]);
      await using server = await serve(failing(error, { json }));
      expect((await server.send(GET_SHELF)).error.details).toEqual([
        {
          "@type": "type.googleapis.com/google.rpc.BadRequest",
          [fieldViolations]: [{ field: "size", [localizedMessage]: localized }],
        },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", [retryDelay]: "2s" },
        errorInfo("INVALID_ARGUMENT"),
      ]);
    },
  );

  test("rule 20: applies the JSON options to enums and to Any in details", async () => {
    const json = { enums: "lower", registry: createRegistry(AuthorSchema) } as const;
    const any = anyPack(AuthorSchema, create(AuthorSchema, { fullName: "A" }));
    const error = new ConnectError("what to do", Code.InvalidArgument, undefined, [
      { desc: BookSchema, value: { genre: Genre.NOVEL } },
      { desc: WellKnownSchema, value: { anyMessage: any } },
    ]);
    await using server = await serve(failing(error, { json }));
    const { details } = (await server.send(GET_SHELF)).error;
    expect(details.slice(0, 2)).toEqual([
      { "@type": "type.googleapis.com/library.v1.Book", genre: "novel" },
      {
        "@type": "type.googleapis.com/library.v1.WellKnown",
        anyMessage: { "@type": "type.googleapis.com/library.v1.Author", fullName: "A" },
      },
    ]);
  });

  test("rule 20: sends the details that the handler set", async () => {
    const fieldViolations = [{ field: "size", description: "must be between 1 and 10000" }];
    const error = new ConnectError("size must be between 1 and 10000", Code.InvalidArgument, { "x-hint": "1" }, [
      { desc: BadRequestSchema, value: { fieldViolations } },
      { desc: RetryInfoSchema, value: { retryDelay: { seconds: 2n } } },
      { desc: DurationSchema, value: { seconds: 1n } },
      { desc: ErrorInfoSchema, value: { reason: "FIELD_INVALID", domain: "library", metadata: { max_size: "10000" } } },
    ]);
    await using server = await serve(failing(error));
    const response = await server.send({ ...GET_SHELF, headers: { accept: "text/html" } });
    expect(response.error.details).toEqual([
      { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations },
      { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "2s" },
      { "@type": "type.googleapis.com/google.protobuf.Duration", value: "1s" },
      { ...errorInfo("FIELD_INVALID"), metadata: { max_size: "10000" } },
    ]);
    expect(response.headers).toMatchObject({ "x-hint": "1" });
  });

  test("rule 20: decodes details from another server if their type is known", async () => {
    const error = new ConnectError("from upstream", Code.Unavailable);
    const packed = anyPack(ErrorInfoSchema, create(ErrorInfoSchema, { reason: "UPSTREAM", domain: "library" }));
    error.details = [
      { type: "google.rpc.ErrorInfo", value: packed.value },
      { type: "acme.v1.Detail", value: new Uint8Array([1, 2]) },
      { type: "google.rpc.BadRequest", value: new Uint8Array([255]) },
    ];
    await using server = await serve(failing(error));
    expect((await server.send(GET_SHELF)).error.details).toEqual([
      errorInfo("UPSTREAM"),
      { "@type": "type.googleapis.com/acme.v1.Detail", value: "AQI=" },
    ]);
  });

  test("rule 20: sends a bare google.rpc.Status with errors.shape: status", async () => {
    const errors = { shape: "status", domain: "library" };
    await using server = await serve(failing(new ConnectError("gone", Code.NotFound), { errors }));
    const response = await server.send(GET_SHELF);
    expect(response.status).toBe(404);
    expect(JSON.parse(response.text)).toEqual({ code: 5, message: "gone", details: [errorInfo("NOT_FOUND")] });
  });

  test.each([
    new Error("connect ECONNREFUSED 10.0.0.1"),
    "a string",
    undefined,
    new TypeError("x is undefined"),
    ...[0, 17, -1, 99].map((invalid) => new ConnectError(`not for clients: ${invalid}`, invalid as Code)),
  ])(
    "rule 20: turns %s that is thrown into an internal error that does not reveal it, and reports it",
    async (thrown) => {
      const seen: unknown[] = [];
      const onError = (error: unknown, call: FailedRpc | undefined) => void seen.push([error, call?.method.name]);
      await using server = await serve(failing(thrown, { onError, errors: { domain: "library" } }));
      const response = await server.send(GET_SHELF);
      expect(JSON.parse(response.text)).toEqual({
        error: { code: 500, status: "INTERNAL", message: "internal error", details: [errorInfo("INTERNAL")] },
      });
      expect(seen).toEqual([[thrown, "GetShelf"]]);
    },
  );

  test("rule 20: does not report an error that a handler throws because the signal aborted", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const client = new AbortController();
    const getShelf: LibraryMethods["getShelf"] = async (_, { signal }) => {
      const work = setTimeout(10_000, {}, { signal }).finally(resolve);
      client.abort();
      return work;
    };
    await using server = await serveLibrary({ getShelf }, { onError: (error) => void seen.push(error) });
    server.open(GET_SHELF, client.signal).catch(() => {});
    await promise;
    await setTimeout(10);
    expect(seen).toEqual([]);
  });

  test("rule 20: returns 404 for an unknown path", async () => {
    await using server = await serveLibrary({}, { errors: { domain: "library" } });
    const response = await server.send({ target: "/v1/nothing" });
    expect(response.error).toMatchObject({ code: 404, status: "NOT_FOUND", details: [errorInfo("ROUTE_NOT_FOUND")] });
  });

  test("rule 6: returns 405 with Allow for a path without this method", async () => {
    await using server = await serveLibrary({}, { errors: { domain: "library" } });
    const response = await server.send({ method: "PATCH", target: "/v1/shelves" });
    expect(response.headers).toMatchObject({ allow: "GET, HEAD, OPTIONS, POST" });
    const details = [errorInfo("METHOD_NOT_ALLOWED")];
    expect(response.error).toMatchObject({ code: 405, status: "UNIMPLEMENTED", details });
  });

  test("rule 20: uses codes of google.rpc for HTTP errors with errors.shape: status", async () => {
    await using server = await serveLibrary({}, { errors: { shape: "status" } });
    const response = await server.send({ method: "PATCH", target: "/v1/shelves" });
    expect(response.status).toBe(405);
    expect(JSON.parse(response.text)).toMatchObject({ code: Code.Unimplemented });
  });

  test("rule 7: returns 400 for a malformed escape before any handler runs", async () => {
    await using server = await serveLibrary({});
    for (const target of ["/v1/shelves/%", "/v1/shelves/%ff", "/v1/shelves/%zz"]) {
      const { error } = await server.send({ target });
      expect(error, target).toMatchObject({ code: 400, details: [{ reason: "PATH_MALFORMED" }] });
    }
  });

  test("rule 11: lists all violations in one error, including those of the application", async () => {
    const validate: TranscoderOptions["validate"] = (method, message) => [
      { field: "theme", description: `is required by ${method.name} of ${message.$typeName}` },
      { field: "capacity", description: "must be positive" },
      { field: "nothing.within", description: "is named by its parent" },
    ];
    await using server = await serveLibrary({}, { validate, errors: { domain: "library" } });
    const body = '{"capacity":"x","nothing":1}';
    const { error } = await server.send({ method: "PUT", target: "/v1/shelves/7", body });
    const [{ fieldViolations: violations }] = error.details;
    expect(violations.map(({ field }: { field: string }) => field)).toEqual(["capacity", "nothing", "theme"]);
    expect(violations[2].description).toBe("is required by UpdateShelf of library.v1.UpdateShelfRequest");
    expect(error).toMatchObject({ code: 400, status: "INVALID_ARGUMENT" });
    expect(error.details[1]).toEqual(errorInfo("FIELD_INVALID"));
    expect(error.message).toBe(
      violations.map(({ field, description }: Record<string, string>) => `${field} ${description}`).join("; "),
    );
  });
});
