import { useEffect, useRef } from "preact/hooks";
import { callerIdentity } from "../api/caller-identity";
import { credential } from "../api/credential";
import { signInSettings } from "../api/settings";
import { currentRoute } from "../routing/route";
import { SignInPage } from "../sign-in/sign-in-page";
import { lazyComponent } from "../ui/lazy-component";
import { lateActionFailures } from "../ui/use-action";
import { CurrentPage, preloadPage } from "./current-page";
import { LateFailureNotices } from "./late-failure-notices";
import { TopBar } from "./top-bar";

const RequireReadScope = lazyComponent(async () => (await import("./require-read-scope")).RequireReadScope);

/** The whole console: the top bar, and below it the page that the URL names. Users who are not signed in see the sign-in form instead of the page. */
export function App() {
  const isSignedIn = !signInSettings.auth || credential.value !== undefined;
  if (isSignedIn) preloadPage(currentRoute.value);
  else {
    callerIdentity.value = undefined;
    lateActionFailures.value = [];
  }
  const main = useFocusOnNewPage(isSignedIn);
  return (
    <>
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar isSignedIn={isSignedIn} />
      <main id="main" tabIndex={-1} ref={main}>
        {isSignedIn ? (
          <>
            <LateFailureNotices />
            <RequireReadScope key={credential.value}>
              <CurrentPage route={currentRoute.value} />
            </RequireReadScope>
          </>
        ) : (
          <SignInPage />
        )}
      </main>
    </>
  );
}

/**
 * When another page is shown, or the user has signed in or out, moves the focus to the new content, so that keyboard and screen reader users start
 * there.
 */
function useFocusOnNewPage(isSignedIn: boolean) {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const place = currentRoute.value.segments.join("/");
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    if (!isFirst.current) scrollTo(0, 0);
    isFirst.current = false;
  }, [place, isSignedIn]);
  return main;
}
