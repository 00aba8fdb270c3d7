import type { JsonValue } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { OpenApiDocument } from "../openapi/openapi-document.js";
import type { Schema } from "../openapi/schema.js";

/** Returns what is wrong with a value by a schema of a document; undefined where nothing is. */
export type SchemaValidator = (schema: Schema, value: JsonValue) => string | undefined;

/** Creates the validator of the schemas of a document, by JSON Schema 2020-12. */
export function createSchemaValidator({ components }: OpenApiDocument): SchemaValidator {
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
  formats.default(ajv);
  for (const name of ["uint32", "uint64"]) ajv.addFormat(name, true);
  ajv.addSchema(JSON.parse(refer({ $id: "document", $defs: components.schemas })));
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const text = refer(schema);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}

/** A schema as text, its references leading to where JSON Schema keeps definitions. */
function refer(schema: object): string {
  return JSON.stringify(schema).replaceAll('"#/components/schemas/', '"document#/$defs/');
}
