import type { DescMessage } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import type { ErrorBodyOptions } from "../endpoints/error-response.js";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
} from "../gen/google/rpc/error_details_pb.js";
import { codeToName } from "../responses/http-status.js";
import { MessageSchemas } from "./message-schemas.js";
import type { ProtoComments } from "./proto-comments.js";
import type { Schema } from "./schema.js";
import { type JsonOptions, RESPONSE_SCHEMA_USE } from "./schema-use.js";

/** The schema of error bodies. It is not named `Error`, because generated clients would shadow the global type. */
export const ERROR_SCHEMA: Schema = { $ref: "#/components/schemas/ErrorResponse" };

/** The types of error details that the document describes. For details of other types, it describes only the member `@type`. */
const DETAILS: readonly DescMessage[] = [
  ErrorInfoSchema,
  BadRequestSchema,
  PreconditionFailureSchema,
  ResourceInfoSchema,
];

/** Adds the schemas of errors to the components. Returns the schema of the last record of a stream that ends with an error. */
export function addErrorSchemas(
  shape: ErrorBodyOptions["shape"],
  json: JsonOptions,
  comments: ProtoComments,
  components: Record<string, Schema>,
): Schema {
  components.ErrorResponse = {};
  const details: Schema = { type: "array", items: createDetailSchema(json, comments, components) };
  if (shape !== "status") {
    const description = "An error response (AIP-193).";
    components.ErrorResponse = { description, ...createRecord(createStatusSchema(AIP193_CODE, details)) };
    return ERROR_SCHEMA;
  }
  components.ErrorResponse = { description: "An error response.", ...createStatusSchema(RPC_CODE, details) };
  components.ErrorRecord = createRecord(ERROR_SCHEMA);
  return { $ref: "#/components/schemas/ErrorRecord" };
}

function createRecord(error: Schema): Schema {
  return { type: "object", properties: { error }, required: ["error"] };
}

const NAMES = Object.values(Code)
  .filter((code) => typeof code === "number")
  .map(codeToName);

const AIP193_CODE: Readonly<Record<string, Schema>> = {
  code: { type: "integer", format: "int32", description: "The HTTP status of the response." },
  status: { type: "string", enum: NAMES, description: "The name of the code in google/rpc/code.proto." },
};

const RPC_CODE: Readonly<Record<string, Schema>> = {
  code: { type: "integer", format: "int32", description: "The number of the code in google/rpc/code.proto." },
};

function createStatusSchema(code: Readonly<Record<string, Schema>>, details: Schema): Schema {
  const message: Schema = {
    type: "string",
    description: "A human-readable text that says what is wrong and what to do.",
  };
  const properties = { ...code, message, details };
  return { type: "object", properties, required: Object.keys(properties) };
}

function createDetailSchema(
  { unset: _, ...json }: JsonOptions,
  comments: ProtoComments,
  components: Record<string, Schema>,
): Schema {
  // Passes no option `unset`, because error details always omit unset fields.
  const schemas = new MessageSchemas(json, comments, components, []);
  const known = DETAILS.map((desc) => {
    const { properties, ...schema } = schemas.objectSchema(desc, RESPONSE_SCHEMA_USE);
    const type: Schema = { type: "string", const: `type.googleapis.com/${desc.typeName}` };
    components[desc.name] = { ...schema, properties: { "@type": type, ...properties }, required: ["@type"] };
    return { $ref: `#/components/schemas/${desc.name}` };
  });
  const names = DETAILS.map((desc) => `type.googleapis.com/${desc.typeName}`);
  components.ErrorDetail = {
    type: "object",
    description: "An error detail of a type that this document does not describe.",
    properties: { "@type": { type: "string", not: { enum: names } } },
    required: ["@type"],
    additionalProperties: true,
  };
  return { anyOf: [...known, { $ref: "#/components/schemas/ErrorDetail" }] };
}
