import type { JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenApiDocument } from "../openapi/openapi-document.js";
import type { Schema } from "../openapi/schema.js";

/** Returns why a value does not match a schema in the document; undefined if the value matches. */
export type SchemaValidator = (schema: Schema, value: JsonValue) => string | undefined;

// All documents share one instance, because each instance compiles the schema of schemas.
const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
formats.default(ajv);
for (const name of ["uint32", "uint64"]) ajv.addFormat(name, true);
let documents = 0;

/** Creates the validator for the schemas in a document (JSON Schema 2020-12). */
export function createSchemaValidator({ components }: OpenApiDocument): SchemaValidator {
  const id = `document${documents++}`;
  ajv.addSchema(JSON.parse(refer({ $id: id, $defs: components.schemas }, id)));
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const text = refer(schema, id);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** Returns a schema as JSON text, with references that point to the `$defs` of the document with this id. */
function refer(schema: object, id: string): string {
  return JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${id}#/$defs/`);
}
