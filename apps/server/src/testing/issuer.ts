import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { IssuerSettings } from "../config/issuer-settings.js";

/** An issuer of access tokens in the test process, with OpenID Connect Discovery. */
export interface Issuer {
  readonly settings: IssuerSettings;
  /** How often the discovery document was requested. */
  readonly discoveryRequests: number;
  /** How often the key set was requested. */
  readonly keyRequests: number;
  /** Signs a token that is valid for five minutes, unless the claims override that. */
  sign(claims: JWTPayload, options?: SigningOptions): Promise<string>;
  /** Replaces the signing key. Returns the withdrawn key, whose tokens must be rejected. */
  rotateKey(): Promise<SigningOptions>;
  /** Makes the issuer unreachable until `start` is called. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Deviations from how the issuer signs tokens. */
export interface SigningOptions {
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
  /** The header `typ`. Default: none. */
  readonly typ?: string;
}

/** The audience claim of the issuer's tokens. */
export const AUDIENCE = "calltrack";

/** Starts an issuer on a free port. Its tokens have the account in the claim `account`. */
export async function startIssuer(): Promise<Issuer> {
  let version = 0;
  let discoveryRequests = 0;
  let keyRequests = 0;
  let keys = await generateKeyPair("ES256");
  const answers: Record<string, () => Promise<unknown>> = {
    "/tenant/.well-known/openid-configuration": async () => {
      discoveryRequests++;
      return { issuer, jwks_uri: `${issuer}/keys` };
    },
    "/tenant/keys": async () => {
      keyRequests++;
      return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: `key-${version}`, alg: "ES256", use: "sig" }] };
    },
  };
  let server = createServer();
  const start = async (port: number) => {
    server = createServer(async (request, response) => {
      const answer = answers[request.url ?? ""];
      response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json", connection: "close" });
      response.end(JSON.stringify(await answer?.()));
    });
    await once(server.listen(port, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  const port = await start(0);
  const issuer = `http://127.0.0.1:${port}/tenant`;
  return {
    settings: {
      issuer,
      audience: AUDIENCE,
      scopeClaim: "scope",
      accountClaim: "account",
    },
    get discoveryRequests() {
      return discoveryRequests;
    },
    get keyRequests() {
      return keyRequests;
    },
    sign(claims, { key = keys.privateKey, alg = "ES256", kid = `key-${version}`, typ } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: AUDIENCE,
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
  };
}
