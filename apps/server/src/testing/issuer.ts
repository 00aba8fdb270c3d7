import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { IssuerSettings } from "../config/issuer-settings.js";

/** An issuer of access tokens in this process, as OpenID Connect Discovery has it. */
export interface Issuer {
  readonly settings: IssuerSettings;
  /** How often it was asked what it says of itself. */
  readonly timesAsked: number;
  /** How often its keys were read. */
  readonly keysRead: number;
  /** A token that is valid for five minutes, unless the claims say otherwise. */
  sign(claims: JWTPayload, options?: SigningOptions): Promise<string>;
  /** Signs with another key from now on. Returns the withdrawn key, to sign as an issuer must no longer. */
  rotateKey(): Promise<SigningOptions>;
  /** Stops answering, until `start` is called. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** How a token is signed, where not as the issuer does. */
export interface SigningOptions {
  readonly key?: CryptoKey | Uint8Array;
  readonly alg?: string;
  readonly kid?: string;
  /** The header `typ`. Default: none. */
  readonly typ?: string;
}

/** What the service is called by the issuer. */
export const AUDIENCE = "calltrack";

/** Starts an issuer on a free port. Its tokens name the account in the claim `account`. */
export async function startIssuer(): Promise<Issuer> {
  let version = 0;
  let timesAsked = 0;
  let keysRead = 0;
  let keys = await generateKeyPair("ES256");
  const answers: Record<string, () => Promise<unknown>> = {
    "/tenant/.well-known/openid-configuration": async () => {
      timesAsked++;
      return { issuer, jwks_uri: `${issuer}/keys` };
    },
    "/tenant/keys": async () => {
      keysRead++;
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
    get timesAsked() {
      return timesAsked;
    },
    get keysRead() {
      return keysRead;
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
