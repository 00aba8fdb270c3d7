/** @typedef {import("./request.js").ApiRequest} ApiRequest */

/** The printers of code samples by language. Each gets the request and the operation's RPC with its example. */
export const CODE_SAMPLES = new Map([
  ["curl", printCurl],
  ["JavaScript", printJavaScript],
  ["Python", printPython],
  ["grpcurl", printGrpcurl],
  ["buf curl", printBufCurl],
]);

/** @param {ApiRequest} request */
function printCurl({ method, url, headers, body }) {
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}${quote(url)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quote(`${name}: ${value}`)}`);
  if (body !== undefined) parts.push(`-d ${quote(body)}`);
  return parts.join(" \\\n  ");
}

/** @param {ApiRequest} request */
function printJavaScript({ method, url, headers, body }) {
  const lines = [`const response = await fetch(${JSON.stringify(url)}, {`, `  method: "${method}",`];
  if (Object.keys(headers).length > 0) lines.push(`  headers: ${JSON.stringify(headers)},`);
  if (body !== undefined) lines.push(`  body: JSON.stringify(${indent(body, "  ")}),`);
  return [...lines, "});", "console.log(response.status, await response.text());"].join("\n");
}

/** @param {ApiRequest} request */
function printPython({ method, url, headers, body }) {
  const lines = [
    "from urllib.request import Request, urlopen",
    "",
    "request = Request(",
    `    ${JSON.stringify(url)},`,
  ];
  lines.push(`    method="${method}",`);
  if (Object.keys(headers).length > 0) lines.push(`    headers=${JSON.stringify(headers)},`);
  if (body !== undefined) lines.push(`    data=r'''${body}'''.encode(),`);
  return [...lines, ")", "print(urlopen(request).read().decode())"].join("\n");
}

function printGrpcurl(request, { method, example }) {
  const { server, isPlain, flags } = readTarget(request);
  const options = [isPlain ? "-plaintext" : "", ...flags, `-d ${quote(JSON.stringify(example))}`].filter(Boolean);
  return `grpcurl ${options.join(" \\\n  ")} \\\n  ${server.host} ${method}`;
}

function printBufCurl(request, { method, example }) {
  const { server, isPlain, flags } = readTarget(request);
  const prior = isPlain ? ["--http2-prior-knowledge"] : [];
  const options = ["--protocol grpc", ...prior, ...flags, `-d ${quote(JSON.stringify(example))}`];
  return `buf curl ${options.join(" \\\n  ")} \\\n  ${server.origin}/${method}`;
}

/** gRPC is not under the base path: only the origin of the URL counts. */
function readTarget({ url, headers: { Authorization: key } }) {
  const server = new URL(url);
  return {
    server,
    isPlain: server.protocol === "http:",
    flags: key === undefined ? [] : [`-H ${quote(`Authorization: ${key}`)}`],
  };
}

function quote(text) {
  return /^[\w./:=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function indent(text, space) {
  return text.replaceAll("\n", `\n${space}`);
}
