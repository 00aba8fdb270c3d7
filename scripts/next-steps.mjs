/**
 * Returns the lines that show a new user the first steps after the server has started: the start page, a request and a command.
 *
 * @param {string} url the address that the server printed.
 * @param {Record<string, string | undefined>} env the server's environment variables.
 */
export function describeNextSteps(url, { AUTH = "none", BASE_PATH = "" }) {
  const address = url.replace(/\/\/(?:0\.0\.0\.0|\[::\])(?=:)/, "//localhost");
  const key = AUTH === "none" ? "" : ` -H "Authorization: Bearer $CALLTRACK_KEY"`;
  const server = address === "http://127.0.0.1:8080" ? "" : ` --server ${address}`;
  return [
    `Read and try the API:  ${address}/`,
    `Create an account:     curl ${address}${BASE_PATH}/call_tracking/accounts${key} -H 'Content-Type: application/json' -d '{"account_token": "demo"}'`,
    `List the accounts:     npx calltrack accounts list${server}`,
    `The same, 4x as fast:  PATH="$PWD/node_modules/.bin:$PATH" calltrack accounts list${server}`,
  ];
}
