import { element, folded } from "./element.js";
import { KnownIds } from "./known-ids.js";
import { renderMarkdown } from "./markdown.js";
import { renderOperation } from "./operation-view.js";
import { createSidebar } from "./sidebar.js";

const response = await fetch("openapi.json");
const apiDocument = await response.json();
const needsKey = apiDocument.components.securitySchemes !== undefined;

const api = {
  server: apiDocument.servers[0].url.replace(/\/$/, ""),
  basePath: new URL(apiDocument.servers[0].url, location).pathname.replace(/\/$/, ""),
  key: "",
  resolve,
  ids: undefined,
};
const knownIds = new KnownIds(apiDocument.paths, listFirst);
api.ids = needsKey ? undefined : knownIds;

const operations = Object.entries(apiDocument.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    ...operation,
    path,
    method: method.toUpperCase(),
    parameters: operation.parameters.map(resolve),
    example: printExample(operation.requestBody),
    rpc: operation["x-rpc"],
  })),
);

const resources = apiDocument.tags.map(({ name, description }) => ({
  title: nameResource(name),
  description,
  operations: operations.filter(({ tags }) => tags.includes(name)),
}));

const main = document.querySelector("main");
const menu = document.querySelector("#menu");
const wide = matchMedia("(min-width: 900px)");
if (needsKey) document.querySelector("header").append(createKeyInput());
menu.append(createSidebar(resources));
menu.open = wide.matches;
wide.addEventListener("change", () => {
  menu.open = wide.matches;
});
addEventListener("hashchange", show);
show();

/** Shows the operation that the address names, or the overview. */
function show() {
  const id = location.hash.slice(1);
  const found = operations.find(({ operationId }) => operationId === id);
  for (const link of menu.querySelectorAll("a")) {
    if (link.hash === location.hash) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.replaceChildren(...(found ? [renderOperation(found, api)] : renderOverview()));
  if (!wide.matches) menu.open = false;
  scrollTo(0, 0);
}

function renderOverview() {
  const { title, version, description } = apiDocument.info;
  const parts = resources.map((each) => folded(each.title, renderMarkdown(each.description)));
  return [
    element("h1", {}, `${title} ${version}`),
    ...renderMarkdown(description),
    element("h2", {}, "Resources"),
    ...parts,
  ];
}

/** The key is kept only until the page is left. */
function createKeyInput() {
  const input = element("input", { type: "password", value: api.key, autocomplete: "off" });
  input.addEventListener("input", () => {
    api.key = input.value.trim();
    api.ids = api.key === "" ? undefined : knownIds;
    knownIds.forget();
  });
  return element("label", { class: "key" }, element("span", {}, "API key or access token"), input);
}

async function listFirst(path) {
  const headers = api.key === "" ? {} : { Authorization: `Bearer ${api.key}` };
  const listed = await fetch(`${api.server}${path}?page_size=100`, { headers });
  return listed.ok ? listed.json() : [];
}

/** Follows a reference to a part of the document. */
function resolve(part) {
  if (part.$ref === undefined) return part;
  const [, ...names] = part.$ref.split("/");
  return names.reduce((found, name) => found[name], apiDocument);
}

/** `CallTrackerService` is "Call tracker". */
function nameResource(service) {
  const words = service.replace(/Service$/, "").replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^(?:Api|Dni)\b/, (acronym) => acronym.toUpperCase());
}

function printExample(requestBody) {
  if (requestBody === undefined) return undefined;
  const [{ example }] = Object.values(requestBody.content);
  return JSON.stringify(example ?? {}, null, 2);
}
