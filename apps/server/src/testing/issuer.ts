import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { IssuerSettings } from "../config/issuer-settings.js";

/**
 * An issuer of access tokens that runs in the test process and supports OpenID Connect Discovery. It signs people in without a prompt, and grants the
 * scope `read` (RFC 6749 section 4.1, RFC 7636).
 */
export interface Issuer extends AsyncDisposable {
  readonly settings: IssuerSettings;
  readonly discoveryRequests: number;
  readonly keyRequests: number;
  /** The parameters of each authorization request. */
  readonly authorizations: readonly URLSearchParams[];
  /** Signs a token that is valid for five minutes, unless the claims override that. */
  sign(claims: JWTPayload, options?: SigningOptions): Promise<string>;
  /** Replaces the signing key. Returns the withdrawn key, whose tokens must be rejected. */
  rotateKey(): Promise<SigningOptions>;
  /** Makes the issuer unreachable until `start` is called. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Values that replace the issuer's defaults when it signs a token. */
export interface SigningOptions {
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
  /** The header parameter `typ`. Default: absent. */
  readonly typ?: string;
}

export const ISSUER_AUDIENCE = "calltrack";

/**
 * Starts an issuer on a free port. Tokens of the issuer contain the account in the claim `account`.
 *
 * @param otherKeys members of the issuer's key set besides its current signing key.
 */
export async function startIssuer(otherKeys: readonly object[] = []): Promise<Issuer> {
  let version = 0;
  let discoveryRequests = 0;
  let keyRequests = 0;
  let keys = await generateKeyPair("ES256");
  const challenges = new Map<string, string>();
  const authorizations: URLSearchParams[] = [];
  const answers: Record<string, (body: URLSearchParams) => Promise<unknown>> = {
    "/tenant/.well-known/openid-configuration": async () => {
      discoveryRequests++;
      return {
        issuer,
        jwks_uri: `${issuer}/keys`,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
      };
    },
    "/tenant/token": async (body) => {
      const hash = createHash("sha256").update(body.get("code_verifier") ?? "");
      const isRight = challenges.get(body.get("code") ?? "") === hash.digest("base64url");
      if (!isRight) return { error: "invalid_grant" };
      return { token_type: "Bearer", access_token: await issued.sign({ scope: "read" }) };
    },
    "/tenant/keys": async () => {
      keyRequests++;
      const own = { ...(await exportJWK(keys.publicKey)), kid: `key-${version}`, alg: "ES256", use: "sig" };
      return { keys: [own, ...otherKeys] };
    },
  };
  let server = createServer();
  const start = async (port: number) => {
    server = createServer(async (request, response) => {
      const url = new URL(request.url ?? "", issuer);
      if (url.pathname === "/tenant/authorize") {
        authorizations.push(url.searchParams);
        return redirectWithCode(url.searchParams, response, challenges);
      }
      const answer = answers[url.pathname];
      const body = new URLSearchParams(await text(request));
      response.writeHead(answer === undefined ? 404 : 200, {
        "content-type": "application/json",
        "access-control-allow-origin": "*",
        connection: "close",
      });
      response.end(JSON.stringify(await answer?.(body)));
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await start(0);
  const issuer = `http://127.0.0.1:${port}/tenant`;
  const issued: Issuer = {
    settings: {
      issuer,
      audience: ISSUER_AUDIENCE,
      scopeClaim: "scope",
      accountClaim: "account",
      signInScope: "openid",
    },
    get discoveryRequests() {
      return discoveryRequests;
    },
    get keyRequests() {
      return keyRequests;
    },
    authorizations,
    sign(claims, { key = keys.privateKey, alg = "ES256", kid = `key-${version}`, typ } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: ISSUER_AUDIENCE,
        sub: "somebody",
        iat: now,
        exp: now + 300,
        account: "*",
        ...claims,
      };
      return new SignJWT(payload).setProtectedHeader({ alg, kid, ...(typ !== undefined && { typ }) }).sign(key);
    },
    async rotateKey() {
      const withdrawn = { key: keys.privateKey, kid: `key-${version}` };
      version++;
      keys = await generateKeyPair("ES256");
      return withdrawn;
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    async start() {
      await start(port);
    },
    async [Symbol.asyncDispose]() {
      if (server.listening) await issued.stop();
    },
  };
  return issued;
}

/**
 * Redirects the browser to the client with an authorization code. Stores the PKCE challenge, which the token endpoint checks when the client
 * exchanges the code.
 */
function redirectWithCode(query: URLSearchParams, response: ServerResponse, challenges: Map<string, string>): void {
  const code = `code-${challenges.size}`;
  challenges.set(code, query.get("code_challenge") ?? "");
  const target = new URL(query.get("redirect_uri") ?? "");
  target.searchParams.set("code", code);
  target.searchParams.set("state", query.get("state") ?? "");
  response.writeHead(302, { location: target.href, connection: "close" }).end();
}
