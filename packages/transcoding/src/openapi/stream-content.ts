import type { JsonValue } from "@bufbuild/protobuf";
import type { OpenApiMediaType } from "./openapi-document.js";
import type { Schema } from "./schema.js";

/**
 * Creates the bodies of a server stream, by media type. An error after the first message is the last record. OpenAPI 3.1 can
 * describe only the array; the lines and the events are described as text.
 */
export function createStreamContent(
  message: Schema,
  example: JsonValue,
  errorRecord: Schema,
): Readonly<Record<string, OpenApiMediaType>> {
  const text = JSON.stringify(example);
  return {
    "application/json": {
      schema: { type: "array", items: { anyOf: [message, errorRecord] } },
      example: [example],
    },
    "application/x-ndjson": {
      schema: { type: "string", description: "One line for each item of the `application/json` array." },
      example: `${text}\n`,
    },
    "text/event-stream": {
      schema: {
        type: "string",
        description:
          "One event for each item of the `application/json` array, with the item as its data. Error events are named `error`.",
      },
      example: `data: ${text}\n\n`,
    },
  };
}
