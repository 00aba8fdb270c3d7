import { useState } from "preact/hooks";
import { signIn, signOutReason } from "../api/credential";
import { capitalized } from "../api/failure";
import { settings } from "../api/settings";
import { fieldText } from "../ui/action-form";
import { TextField, Violations } from "../ui/field";
import { Notice } from "../ui/notice";

/** Asks for an API key, or offers sign-in with the issuer, as the server's settings allow. */
export function SignInPage() {
  return (
    <section class="sign-in card">
      <h1 tabIndex={-1}>Sign in</h1>
      {signOutReason.value !== undefined && (
        <Notice
          kind="error"
          title={settings.issuer === null ? "The API key was not accepted" : "You are not signed in"}
        >
          {capitalized(signOutReason.value)}
        </Notice>
      )}
      {settings.issuer !== null && <IssuerButton />}
      {settings.issuer !== null && settings.keys && <p class="or">or</p>}
      {settings.keys && <KeyForm />}
      {settings.issuer === null && !settings.keys && (
        <p>
          This server accepts neither API keys nor sign-in from the console. Its operator can add <code>keys</code> to{" "}
          <code>AUTH</code>, or set <code>OIDC_CLIENT_ID</code>.
        </p>
      )}
    </section>
  );
}

/** The characters that an HTTP header can contain, without spaces. */
const HEADER_TEXT = /^[!-~]+$/;

function KeyForm() {
  const [violations, setViolations] = useState({});
  const submit = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const key = fieldText(event.currentTarget, "key")?.trim() ?? "";
    if (HEADER_TEXT.test(key)) signIn(key);
    else setViolations({ key: "Enter an API key: it has only letters, digits and underscores." });
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Violations.Provider value={violations}>
        <TextField
          label="API key"
          name="key"
          type="password"
          autoFocus
          hint="The key stays in this browser tab, and is deleted when you close the tab."
        />
      </Violations.Provider>
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
    setStarting(true);
    setProblem(undefined);
    // The library is loaded only when it is needed.
    await import("./oidc").then(({ startSignIn }) => startSignIn()).catch((error) => setProblem(problemOf(error)));
    setStarting(false);
  };
  return (
    <div class="stack">
      <button type="button" class="primary" disabled={isStarting} onClick={start}>
        Sign in with {new URL(settings.issuer ?? "").host}
      </button>
      {problem !== undefined && (
        <Notice kind="error" title="The issuer cannot be used">
          {problem}
        </Notice>
      )}
    </div>
  );
}

function problemOf(error: unknown): string {
  // The browser does not say why it could not reach the issuer.
  if (error instanceof TypeError) return "It cannot be reached, or it does not allow requests from this origin (CORS).";
  return error instanceof Error ? error.message : String(error);
}
