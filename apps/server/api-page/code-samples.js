/**
 * Adds code samples for gRPC to the operations of an OpenAPI document, from their `x-rpc`. Scalar generates the samples for HTTP itself.
 *
 * @param apiDocument the OpenAPI document.
 */
export function addCodeSamples({ paths, servers: [{ url }], components: { securitySchemes = {} } }) {
  const server = new URL(url, location);
  for (const operation of Object.values(paths).flatMap((item) => Object.values(item))) {
    const { method, example } = operation["x-rpc"];
    const body = `-d ${quote(JSON.stringify(example))}`;
    const key = takesKey(operation, securitySchemes) ? ["-H 'Authorization: Bearer YOUR_SECRET_TOKEN'"] : [];
    operation["x-codeSamples"] = [
      createSample(
        "grpcurl",
        ["grpcurl", ...plain(server, "-plaintext"), ...key, body],
        `${addressOf(server)} ${method}`,
      ),
      createSample(
        "buf curl",
        ["buf curl --protocol grpc", ...plain(server, "--http2-prior-knowledge"), ...key, body],
        `${server.origin}/${method}`,
      ),
    ];
  }
}

function createSample(label, parts, target) {
  return { lang: "shell", label, source: [...parts, target].join(" \\\n  ") };
}

/** Returns the flag if the server has no TLS. */
function plain({ protocol }, flag) {
  return protocol === "http:" ? [flag] : [];
}

/** Returns the host and port, even if the port is the default one: grpcurl has no default. */
function addressOf({ protocol, hostname, port }) {
  return `${hostname}:${port || (protocol === "http:" ? 80 : 443)}`;
}

function takesKey({ security = [] }, schemes) {
  return security.some((each) => Object.keys(each).some((name) => schemes[name]?.scheme === "bearer"));
}

function quote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
