import * as oauth from "oauth4webapi";
import { signIn, signOut } from "../api/credential";
import { signInSettings } from "../api/settings";
import { replaceUrl } from "../routing/route";

// OpenID Connect sign-in with an authorization code and PKCE (RFC 7636), as a public client.

const STORAGE_KEY = "calltrack-sign-in";

/** The state of a sign-in, kept while the user is at the issuer's page. */
interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  /** The URL fragment of the page to which the user returns after the sign-in. */
  readonly hash: string;
}

/** The page's URL without query and fragment. It must be registered at the issuer as a redirect URI of the client. */
const redirectUri = location.origin + location.pathname;

/** Sends the browser to the issuer's page. Throws if the issuer cannot be reached or has no authorization endpoint. */
export async function startSignIn(): Promise<void> {
  const issuer = await discover();
  if (issuer.authorization_endpoint === undefined)
    throw new Error(
      "The issuer's metadata contains no authorization_endpoint. Tell the operator of this server to check OIDC_ISSUER.",
    );
  const pending: PendingSignIn = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    hash: location.hash,
  };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(pending));
  const url = new URL(issuer.authorization_endpoint);
  const parameters = {
    client_id: client().client_id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: signInSettings.scope ?? "",
    // Some issuers set the audience of the access token from this parameter; others ignore it.
    audience: signInSettings.audience ?? "",
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  location.assign(url);
}

/** If the issuer has sent the browser back, finishes the sign-in and removes the issuer's parameters from the URL. */
export async function finishSignIn(): Promise<void> {
  const address = new URL(location.href);
  if (signInSettings.issuer === null || !address.searchParams.has("state")) return;
  const pending = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null") as PendingSignIn | null;
  sessionStorage.removeItem(STORAGE_KEY);
  replaceUrl(redirectUri + (pending?.hash ?? ""));
  if (pending === null) return;
  try {
    signIn(await redeem(address, pending));
  } catch (error) {
    signOut(`Sign-in failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function redeem(address: URL, { verifier, state }: PendingSignIn): Promise<string> {
  const issuer = await discover();
  const parameters = oauth.validateAuthResponse(issuer, client(), address, state);
  const response = await oauth.authorizationCodeGrantRequest(
    issuer,
    client(),
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    requestOptions(),
  );
  return (await oauth.processAuthorizationCodeResponse(issuer, client(), response)).access_token;
}

async function discover(): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(signInSettings.issuer ?? "");
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, requestOptions()));
}

function client(): oauth.Client {
  return { client_id: signInSettings.clientId ?? "" };
}

/** Allows requests to an issuer without HTTPS. The server's configuration accepts such an issuer only on the server's own machine. */
function requestOptions() {
  return { [oauth.allowInsecureRequests]: signInSettings.issuer?.startsWith("http:") ?? false };
}
