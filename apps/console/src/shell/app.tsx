import { useEffect, useRef } from "preact/hooks";
import { credential } from "../api/credential";
import { caller } from "../api/identity";
import { settings } from "../api/settings";
import { route } from "../routing/route";
import { SignInPage } from "../sign-in/sign-in-page";
import { lazy } from "../ui/lazy";
import { lateFailures } from "../ui/use-action";
import { CurrentPage, preloadPage } from "./current-page";
import { LateFailures } from "./late-failures";
import { TopBar } from "./top-bar";

const WithCaller = lazy(async () => (await import("./with-caller")).WithCaller);

/** The console: its frame around the page that the URL names, or around the sign-in form. */
export function App() {
  const isSignedIn = !settings.auth || credential.value !== undefined;
  if (isSignedIn) preloadPage(route.value);
  else {
    caller.value = undefined;
    lateFailures.value = [];
  }
  const main = useFocusOnNewPage();
  return (
    <>
      <button type="button" class="skip-link" onClick={() => main.current?.focus()}>
        Skip to content
      </button>
      <TopBar isSignedIn={isSignedIn} />
      <main id="main" tabIndex={-1} ref={main}>
        {isSignedIn ? (
          <>
            <LateFailures />
            <WithCaller key={credential.value}>
              <CurrentPage route={route.value} />
            </WithCaller>
          </>
        ) : (
          <SignInPage />
        )}
      </main>
    </>
  );
}

/** When another page is shown, moves the focus to its content, so that keyboard and screen reader users start there. */
function useFocusOnNewPage() {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const place = route.value.segments.join("/");
  useEffect(() => {
    if (!isFirst.current) main.current?.focus({ preventScroll: true });
    if (!isFirst.current) scrollTo(0, 0);
    isFirst.current = false;
  }, [place]);
  return main;
}
