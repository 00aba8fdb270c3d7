import { CODE_SAMPLES } from "./code-samples.js";
import { element } from "./element.js";
import { createRequest, findMissing } from "./request.js";
import { renderResponse } from "./response-view.js";

/** The language of the last chosen sample, which the next operation shows too. */
let language = "curl";

/**
 * Creates the form that sends requests of an operation, and its code samples, which follow the form. Optional parameters are
 * empty; ids are those of existing resources.
 *
 * @param {object} operation
 * @param {{ server: string, key: string, ids: import("./known-ids.js").KnownIds | undefined }} api
 */
export function createTryIt(operation, api) {
  const { parameters, example } = operation;
  const inputs = new Map(parameters.map((each) => [each.name, createInput(each)]));
  const body = example && element("textarea", { value: example, rows: example.split("\n").length, spellcheck: false });
  const read = () =>
    createRequest(
      operation,
      new Map(Array.from(inputs, ([name, { value }]) => [name, value.trim()])),
      body?.value,
      api,
    );
  const samples = createSamples(() => read(), operation.rpc);
  const output = element("div", { "aria-live": "polite" });
  const form = element(
    "form",
    { class: "try-it" },
    ...Array.from(inputs, ([name, input]) => element("label", {}, element("span", {}, name), input)),
    ...(body ? [element("label", {}, element("span", {}, "body"), body)] : []),
    element("button", { class: "send" }, "Send"),
    output,
  );
  form.addEventListener("input", samples.update);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    output.replaceChildren(await send(read(), api));
  });
  fillIds(operation, inputs, api).then(samples.update);
  return element("div", {}, samples.view, form);
}

function createInput({ name, in: place, schema = {} }) {
  const { enum: choices } = schema;
  if (choices === undefined) {
    return element("input", { name, required: place === "path", placeholder: place === "path" ? "" : "optional" });
  }
  const options = ["", ...choices].map((value) => element("option", { value }, String(value)));
  return element("select", { name }, ...options);
}

async function fillIds({ path }, inputs, { ids }) {
  if (ids === undefined) return;
  for (const [name, value] of await ids.find(path)) {
    const input = inputs.get(name);
    if (input.value === "") input.value = value;
  }
}

async function send(request, { ids }) {
  const missing = findMissing(request);
  if (missing.length > 0) return element("p", { class: "note" }, `Enter a value for ${missing.join(", ")}.`);
  const { method, url, headers, body } = request;
  const start = performance.now();
  try {
    const response = await fetch(url, { method, headers, body });
    const text = await response.text();
    if (method !== "GET") ids?.forget();
    return renderResponse(response, text, performance.now() - start);
  } catch (error) {
    return element("p", { class: "note" }, `The server could not be reached: ${error.message}`);
  }
}

function createSamples(read, rpc) {
  const code = element("pre", {});
  const tabs = Array.from(CODE_SAMPLES.keys(), (name) => element("button", { type: "button" }, name));
  const update = () => {
    code.textContent = CODE_SAMPLES.get(language)(read(), rpc);
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.textContent === language));
  };
  for (const tab of tabs) {
    tab.addEventListener("click", () => {
      language = tab.textContent;
      update();
    });
  }
  update();
  return { view: element("div", { class: "samples" }, element("div", { class: "tabs" }, ...tabs), code), update };
}
