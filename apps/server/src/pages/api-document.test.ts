import { API_SERVICES } from "@calltrack/domain";
import { WebhookEndpointService } from "@calltrack/domain/gen/calltracking/v1/webhook_endpoint_pb";
import type { OpenApiDocument, OpenApiMediaType, OpenApiOperation } from "@calltrack/transcoding/openapi";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, test } from "vitest";
import type { AuthSettings } from "../config/auth-settings.js";
import { readConfig } from "../config/config.js";
import { RPC_ERROR_TEMPLATES_BY_REASON } from "../errors/wire-error.js";
import { createSchemaCheck } from "../testing/expect-documented.js";
import { createApiDocument } from "./api-document.js";

const AUTH_ENVIRONMENT = { AUTH: "keys,jwt", OIDC_ISSUER: "https://login.example", OIDC_AUDIENCE: "calltrack" };

/** Enables every kind of authentication, so that the document is complete. */
const certificates = { byName: new Map(), others: new Set(["read"] as const) };
const config = readConfig(AUTH_ENVIRONMENT);
const document = createApiDocument({ ...config, auth: { ...config.auth, certificates } as AuthSettings });

const open = createApiDocument(readConfig({}));

const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as OpenApiOperation[]);

/** Returns the findings of an OpenAPI linter. */
async function lint(checked: OpenApiDocument): Promise<readonly string[]> {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const problems = await lintFromString({ source: JSON.stringify(checked), absoluteRef: "openapi.json", config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

describe("the OpenAPI document", () => {
  test.each([document, open])("passes a public validator", async (each) => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(each)));
    expect(result).toMatchObject({ valid: true });
  });

  test.each([document, open])("passes a linter with all recommended rules as errors", async (each) => {
    expect(await lint(each)).toEqual([]);
  });

  test("lists the required scopes of each method", () => {
    const securityOf = (id: string) => operations.find(({ operationId }) => operationId === id)?.security;
    expect(document.components.securitySchemes?.bearer?.description).toBe(
      "Send an API key (`ct_…`) or an access token of https://login.example.",
    );
    expect(document.components.securitySchemes?.certificate?.type).toBe("mutualTLS");
    expect(securityOf("updatePool")).toEqual([{ bearer: ["write"] }, { certificate: ["write"] }]);
    expect(securityOf("resolveNumbers")).toBeUndefined();
    expect(document.security).toEqual([]);
  });

  test("omits security if authentication is off", () => {
    expect(open.components).not.toHaveProperty("securitySchemes");
    const statuses = Object.values(open.paths).flatMap((item) =>
      Object.values(item as Record<string, OpenApiOperation>).flatMap(({ responses }) => Object.keys(responses)),
    );
    expect(statuses).toContain("404");
    expect(statuses).not.toContain("401");
    expect(statuses).not.toContain("403");
  });

  test("is rejected by the validator and the linter if it has a mistake", async () => {
    const mistaken = { ...document, paths: { "/a/{id}": { get: { summary: "A", responses: {} } } } } as never;
    expect(await lint(mistaken)).not.toEqual([]);
    expect(await new Validator().validate(structuredClone(mistaken))).toMatchObject({ valid: false });
  });

  test("has each operation once, although some paths have two spellings", () => {
    const aliased = Object.keys(document.paths).filter((path) => path.includes("dni-manager"));
    expect(aliased).toEqual([]);
  });

  test("has every method with a path, some of them with two", () => {
    const methods = API_SERVICES.flatMap((service) => service.methods.map(({ localName }) => localName));
    const ofEndpoints = WebhookEndpointService.methods.map(({ localName }) => localName);
    const withPath = methods.filter((name) => name !== "importTrackingNumbers");
    expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
      [
        ...withPath,
        ...["listAuditEntries", "listEvents", "watchEvents", ...ofEndpoints].map((name) => `${name}WithoutAccountId`),
      ].toSorted(),
    );
  });

  test("has only examples that match their schemas", () => {
    const check = createSchemaCheck(document.components.schemas);
    const responses = [
      ...operations.flatMap(({ responses }) => Object.values(responses)),
      ...Object.values(document.components.responses),
    ];
    const bodies: OpenApiMediaType[] = [...operations.map(({ requestBody }) => requestBody), ...responses].flatMap(
      (part) => (part && "content" in part ? Object.values(part.content ?? {}) : []),
    );
    for (const { schema, example, examples = {} } of bodies) {
      for (const { value } of [...(example === undefined ? [] : [{ value: example }]), ...Object.values(examples)]) {
        expect(check(schema, value)).toBeUndefined();
      }
    }
  });

  test("describes the requests to webhook endpoints, with an event as their body", () => {
    const { post } = document.webhooks?.event ?? {};
    expect(post?.parameters).toMatchObject([
      { name: "webhook-id", in: "header", required: true },
      { name: "webhook-timestamp", in: "header", required: true },
      { name: "webhook-signature", in: "header", required: true },
    ]);
    expect(post?.requestBody?.content).toEqual({
      "application/json": { schema: { $ref: "#/components/schemas/Event" } },
    });
    expect(Object.keys(post?.responses ?? {})).toEqual(["410", "2XX", "default"]);
  });

  test("has the examples of the protos", () => {
    const body = (id: string) =>
      operations.find(({ operationId }) => operationId === id)?.requestBody?.content["application/json"]?.example;
    expect(body("createPhoneNumber")).toMatchObject({ phone_number: "+10005550100" });
    expect(body("createPool")).toMatchObject({
      original_number: "+10005550100",
      area_code: "000",
      pool_type: "manual",
    });
  });

  test("describes every error reason of the service", () => {
    const text = JSON.stringify(document);
    for (const reason of Object.keys(RPC_ERROR_TEMPLATES_BY_REASON)) expect(text).toContain(`\`${reason}\`: `);
    expect(document.info.description).toContain("`ACCOUNT_DISABLED` (400)");
  });

  test("describes every operation and property", () => {
    expect(operations.filter(({ summary }) => /^[A-Z][a-z]+[A-Z]/.test(summary))).toEqual([]);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const [property, { description, $ref }] of Object.entries(schema.properties ?? {})) {
        if (property !== "@type" && property !== "error")
          expect(description ?? $ref, `${name}.${property}`).toBeDefined();
      }
    }
  });

  test("has schema names that remain distinct in every language, and enums without null", () => {
    const { schemas } = document.components;
    // Code generators name a nested type after its schema and property, and change case and punctuation. Two names that differ only in case or
    // punctuation could collide.
    const plain = (name: string) => name.replace(/[^a-z0-9]/gi, "").toLowerCase();
    const properties = Object.entries(schemas).flatMap(([name, schema]) =>
      Object.entries(schema.properties ?? {}).flatMap(([property, { enum: inline, items }]) =>
        inline === undefined && items?.enum === undefined ? [] : [plain(name + property)],
      ),
    );
    const names = [...Object.keys(schemas).map(plain), ...properties];
    expect(new Set(names).size).toBe(names.length);
    expect(properties).toEqual([]);
    for (const { enum: values = [] } of Object.values(schemas)) expect(values).not.toContain(null);
    expect(names).not.toContain("error");
  });

  test("calls fields without a value unset, and describes no header as empty", () => {
    const headers = operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap((each) => ("headers" in each ? Object.values(each.headers ?? {}) : [])),
    );
    for (const { description } of headers) expect(description).not.toMatch(/\b(?:absent|empty)\b/i);
    expect(JSON.stringify(document)).not.toMatch(/\babsent\b/i);
  });

  test("describes the ETag of single resources, but not of streams", () => {
    const withEtag = (id: string) =>
      Object.values(operations.find(({ operationId }) => operationId === id)?.responses ?? {}).some(
        (each) => "headers" in each && each.headers?.ETag !== undefined,
      );
    expect(["getPool", "updateAccount", "getCall", "createPhoneNumber"].filter(withEtag)).toHaveLength(4);
    expect(["exportPools", "exportCalls", "listPools", "reportCalls"].filter(withEtag)).toEqual([]);
  });

  test("has the base path only as its server URL", () => {
    const based = createApiDocument(readConfig({ BASE_PATH: "/api/v1" }));
    expect(based.servers).toEqual([{ url: "/api/v1" }]);
    expect(Object.keys(based.paths)).toEqual(Object.keys(document.paths));
  });
});
