import { element, folded } from "./element.js";
import { renderMarkdown, renderSpans } from "./markdown.js";
import { renderField, renderSchema } from "./schema-view.js";
import { createTryIt } from "./try-it.js";

/** Renders an operation: its description, parameters, bodies and errors beside the code samples and the form. */
export function renderOperation(operation, api) {
  const { method, path, summary, description, responses } = operation;
  return element(
    "article",
    { id: operation.operationId },
    element("h2", {}, ...renderSpans(summary)),
    element("p", { class: "path" }, renderMethod(method), " ", element("code", {}, `${api.basePath}${path}`)),
    element(
      "div",
      { class: "columns" },
      element(
        "div",
        {},
        ...(description === `${summary}.` ? [] : renderMarkdown(description)),
        ...renderParameters(operation, api),
        ...renderRequestBody(operation, api),
        element("h3", {}, "Responses"),
        ...Object.entries(responses).map(([status, each]) => renderResponse(status, api.resolve(each), api)),
      ),
      createTryIt(operation, api),
    ),
  );
}

/** Renders the HTTP method as a badge. */
export function renderMethod(method) {
  return element("span", { class: `method ${method.toLowerCase()}` }, method);
}

function renderParameters({ parameters }, { resolve }) {
  if (parameters.length === 0) return [];
  const rows = parameters.flatMap(({ name, in: place, description = "", required = false, schema = {} }) => {
    const [title, text] = renderField(name, { ...schema, description }, required, resolve);
    title.append(" ", element("span", { class: "place" }, `in ${place}`));
    return [title, text];
  });
  return [element("h3", {}, "Parameters"), element("dl", { class: "fields" }, ...rows)];
}

function renderRequestBody({ requestBody }, { resolve }) {
  if (requestBody === undefined) return [];
  const [{ schema }] = Object.values(requestBody.content);
  return [element("h3", {}, "Body"), renderSchema(schema, resolve)];
}

/** The success response is open; the reasons of errors are folded. */
function renderResponse(status, { description, content = {} }, { resolve }) {
  const [[type, { schema, example, examples = {} }] = ["", {}]] = Object.entries(content);
  const isSuccess = status.startsWith("2");
  const parts = [...renderMarkdown(description)];
  if (isSuccess && schema !== undefined) parts.push(folded("fields", renderSchema(schema, resolve)));
  if (example !== undefined) parts.push(renderExample(type, example));
  for (const [name, { value }] of Object.entries(examples)) parts.push(renderExample(name, value));
  const names = Object.keys(examples).join(", ");
  const title = [element("strong", {}, status), " ", element("span", { class: "reasons" }, names)];
  return folded(title, parts, isSuccess);
}

function renderExample(title, value) {
  return folded(title, element("pre", {}, JSON.stringify(value, null, 2)));
}
