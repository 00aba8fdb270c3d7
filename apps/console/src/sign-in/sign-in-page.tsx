import { useEffect, useState } from "preact/hooks";
import { capitalizeFirstLetter } from "../api/api-failure";
import { signIn, signOutReason } from "../api/credential";
import { signInSettings } from "../api/settings";
import { readFieldText } from "../ui/action-form";
import { FieldViolationsContext, TextField } from "../ui/form-field";
import { Notice } from "../ui/notice";

/** Asks for an API key, or offers sign-in with the issuer, as the server's settings allow. */
export function SignInPage() {
  // Without its own title, the page would keep the last page's title, which can contain an account or a phone number.
  useEffect(() => {
    document.title = "Sign in · Calltrack";
  }, []);
  return (
    <section class="sign-in card">
      <h1 tabIndex={-1}>Sign in</h1>
      {signOutReason.value !== undefined && (
        <Notice
          kind="error"
          title={signInSettings.issuer === null ? "The API key was not accepted" : "You are not signed in"}
        >
          {capitalizeFirstLetter(signOutReason.value)}
        </Notice>
      )}
      {signInSettings.issuer !== null && <IssuerButton />}
      {signInSettings.issuer !== null && signInSettings.keys && <p class="or">or</p>}
      {signInSettings.keys && <KeyForm />}
      {signInSettings.issuer === null && !signInSettings.keys && (
        <p>
          This server accepts neither API keys nor sign-in from the console. Its operator can add <code>keys</code> to{" "}
          <code>AUTH</code>, or set <code>OIDC_CLIENT_ID</code>.
        </p>
      )}
    </section>
  );
}

/** Matches text that an HTTP header can contain, without spaces. */
const HEADER_TEXT = /^[!-~]+$/;

function KeyForm() {
  const [violations, setViolations] = useState({});
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const key = readFieldText(event.currentTarget, "key")?.trim() ?? "";
    if (HEADER_TEXT.test(key)) signIn(key);
    else setViolations({ key: "Enter an API key: it has only letters, digits and underscores." });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <FieldViolationsContext.Provider value={violations}>
        <TextField
          label="API key"
          name="key"
          type="password"
          autoFocus
          hint="The key stays in this browser tab, and is deleted when you close the tab."
        />
      </FieldViolationsContext.Provider>
      <button type="submit" class="primary">
        Sign in
      </button>
    </form>
  );
}

function IssuerButton() {
  const [isStarting, setStarting] = useState(false);
  const [problem, setProblem] = useState<string>();
  const start = async () => {
    if (isStarting) return;
    setStarting(true);
    setProblem(undefined);
    // The OpenID Connect library is loaded only when the user presses the button.
    await import("./oidc").then(({ startSignIn }) => startSignIn()).catch((error) => setProblem(problemOf(error)));
    setStarting(false);
  };
  return (
    <div class="stack">
      <button type="button" class="primary" aria-disabled={isStarting} onClick={start}>
        Sign in with {new URL(signInSettings.issuer ?? "").host}
      </button>
      {problem !== undefined && (
        <Notice kind="error" title="You cannot sign in with the issuer">
          {problem}
        </Notice>
      )}
    </div>
  );
}

function problemOf(error: unknown): string {
  // A failed fetch throws a `TypeError`. Browsers do not tell scripts why the request did not reach the issuer.
  if (error instanceof TypeError)
    return "The browser cannot reach the issuer, or the issuer does not allow requests from the console's origin (CORS). Check the connection, and the CORS settings of the issuer.";
  return error instanceof Error ? error.message : String(error);
}
