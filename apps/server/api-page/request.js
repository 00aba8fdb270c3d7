/**
 * The request of an operation with the values of a form.
 *
 * @typedef {{ method: string, url: string, headers: Record<string, string>, body: string | undefined }} ApiRequest
 */

/**
 * Creates the request of an operation. Empty values are left out.
 *
 * @param {{ method: string, path: string, parameters: object[] }} operation
 * @param {Map<string, string>} values by the names of parameters; a list has commas.
 * @param {string | undefined} body
 * @param {{ server: string, key: string }} target
 * @returns {ApiRequest}
 */
export function createRequest({ method, path, parameters }, values, body, { server, key }) {
  const query = new URLSearchParams();
  const headers = key === "" ? {} : { Authorization: `Bearer ${key}` };
  let target = path;
  for (const { name, in: place, schema = {} } of parameters) {
    const value = values.get(name) ?? "";
    if (place === "path") target = target.replace(`{${name}}`, value === "" ? `{${name}}` : encodeURIComponent(value));
    if (value === "") continue;
    if (place === "header") headers[name] = value;
    if (place === "query")
      for (const each of schema.type === "array" ? value.split(",") : [value]) query.append(name, each);
  }
  if (body !== undefined) headers["Content-Type"] = "application/json";
  return { method, url: `${server}${target}${query.size > 0 ? `?${query}` : ""}`, headers, body };
}

/** The names of path parameters that have no value yet. */
export function findMissing({ url }) {
  return Array.from(url.matchAll(/\{(\w+)\}/g), ([, name]) => name);
}
