import { callerIdentity, hasScope, seesAllAccounts } from "../api/caller-identity";
import { signOut } from "../api/credential";
import { signInSettings } from "../api/settings";
import { currentRoute, linkTo } from "../routing/route";
import icon from "./icon.svg";
import { ThemeSwitch } from "./theme-switch";

/** The bar at the top of every page: links to the sections that the user may open, the theme switch and the sign-out button. */
export function TopBar({ isSignedIn }: { readonly isSignedIn: boolean }) {
  return (
    <header class="top-bar">
      <a class="brand" href={linkTo()}>
        <img src={icon} alt="" width="26" height="26" />
        Calltrack
      </a>
      {isSignedIn && hasScope("read") && (
        <nav class="main-nav" aria-label="Main">
          <NavLink to="accounts">Accounts</NavLink>
          {seesAllAccounts() && <NavLink to="inventory">Inventory</NavLink>}
          {seesAllAccounts() && hasScope("admin") && <NavLink to="phone-systems">Phone systems</NavLink>}
          {seesAllAccounts() && hasScope("admin") && <NavLink to="webhook-endpoints">Webhook endpoints</NavLink>}
          <NavLink to="try">Try it</NavLink>
        </nav>
      )}
      <div class="tools">
        <ThemeSwitch />
        {isSignedIn && signInSettings.auth && (
          <button type="button" title={callerIdentity.value?.description} onClick={() => signOut()}>
            Sign out
          </button>
        )}
      </div>
    </header>
  );
}

function NavLink({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a href={linkTo(to)} aria-current={currentRoute.value.segments[0] === to ? "page" : undefined}>
      {children}
    </a>
  );
}
