import type { OpenApiDocument, Schema } from "@calltrack/transcoding/openapi";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** What is wrong with a value by a schema, undefined if nothing is. */
export type SchemaCheck = (schema: Schema, value: unknown) => string | undefined;

/**
 * Creates the check of the schemas of the API's document. It is stricter than they are: an object has no property that its
 * schema does not list, unless that says that it may.
 */
export function createSchemaCheck(schemas: OpenApiDocument["components"]["schemas"]): SchemaCheck {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addSchema(prepare({ $id: "document", $defs: schemas }));
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const key = JSON.stringify(schema);
    const validate = compiled.get(key) ?? ajv.compile(prepare(schema));
    compiled.set(key, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** A schema with closed objects, its references leading to where JSON Schema keeps definitions. */
function prepare(schema: object): object {
  const text = JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/');
  return JSON.parse(text, (_, value) =>
    value?.type === "object" && value.properties !== undefined ? { additionalProperties: false, ...value } : value,
  );
}
