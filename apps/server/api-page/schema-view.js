import { element, folded } from "./element.js";
import { renderMarkdown } from "./markdown.js";

/**
 * Renders the fields of a schema. Nested objects are folded, and their fields are rendered when they are opened, because schemas can
 * contain themselves.
 *
 * @param {Record<string, unknown>} schema
 * @param {(part: object) => Record<string, unknown>} resolve follows a reference.
 */
export function renderSchema(schema, resolve) {
  const found = resolve(schema);
  const { required = [] } = found;
  const fields = Object.entries(found.properties ?? {}).map(([name, each]) =>
    renderField(name, { ...resolve(each), ...each }, required.includes(name), resolve),
  );
  if (fields.length > 0) return element("dl", { class: "fields" }, ...fields.flat());
  const items = found.items ?? (found.anyOf ?? found.oneOf)?.[0];
  return items === undefined ? element("p", {}, printType(found, resolve)) : renderSchema(items, resolve);
}

/** Renders one field or parameter: its name and type, and its description. */
export function renderField(name, schema, isRequired, resolve) {
  const title = [element("code", {}, name), " ", element("span", { class: "type" }, printType(schema, resolve))];
  if (isRequired) title.push(" ", element("span", { class: "required" }, "required"));
  const description = renderMarkdown(schema.description);
  if (isObject(schema, resolve)) description.push(foldFields(schema, resolve));
  return [element("dt", {}, ...title), element("dd", {}, ...description)];
}

function isObject(schema, resolve) {
  const { properties, items } = resolve(schema);
  return properties !== undefined || (items !== undefined && resolve(items).properties !== undefined);
}

function foldFields(schema, resolve) {
  const fields = folded("fields", []);
  const render = () => fields.append(renderSchema(schema, resolve));
  fields.addEventListener("toggle", render, { once: true });
  return fields;
}

function printType(schema, resolve) {
  const { type = "value", enum: values, minimum, maximum, format, items } = resolve(schema);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (items !== undefined) return `list of ${printType(items, resolve)}`;
  const name = [type].flat().join(" or ");
  if (minimum !== undefined && maximum !== undefined) return `${name}, ${minimum} to ${maximum}`;
  return format === "date-time" ? `${name}, date and time` : name;
}
