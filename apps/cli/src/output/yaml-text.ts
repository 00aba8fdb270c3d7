import { escapeForTerminal } from "@calltrack/domain/escape-for-terminal";
import { Document, visit } from "yaml";

/** Formats YAML, and escapes control characters, because they could manipulate the terminal. */
export function formatYamlText(value: unknown): string {
  const document = new Document(value);
  visit(document, {
    Scalar(_, node) {
      // Only text in double quotes can contain escapes.
      if (typeof node.value === "string" && escapeLines(node.value) !== node.value) node.type = "QUOTE_DOUBLE";
    },
  });
  return escapeLines(document.toString());
}

function escapeLines(text: string): string {
  return text.replace(/.+/g, escapeForTerminal);
}
