import { caller } from "../api/identity";
import { linkTo, type Route } from "../routing/route";
import { lazy } from "../ui/lazy";
import { Page } from "../ui/page";

/** The parts of a URL: account, id of a pool or webhook endpoint, and tab. Parts that the URL lacks are empty. Each page uses the ones it needs. */
interface Place {
  readonly account: string;
  readonly id: string;
  readonly tab: string;
}

const ACCOUNTS = lazy<Place>(async () => (await import("../pages/accounts-page")).AccountsPage);
const INVENTORY = lazy<Place>(async () => (await import("../pages/inventory-page")).InventoryPage);
const PHONE_SYSTEMS = lazy<Place>(async () => (await import("../pages/phone-systems-page")).PhoneSystemsPage);
const TRY = lazy<Place>(async () => (await import("../pages/try-page")).TryPage);
const NEW_POOL = lazy<Place>(async () => (await import("../pages/new-pool-page")).NewPoolPage);
const POOL = lazy<Place>(async () => (await import("../pages/pool/pool-page")).PoolPage);

const WEBHOOK_ENDPOINTS = lazy<Place>(
  async () => (await import("../pages/webhook-endpoints/webhook-endpoints-page")).WebhookEndpointsPage,
);
const WEBHOOK_ENDPOINT = lazy<Place>(
  async () => (await import("../pages/webhook-endpoints/webhook-endpoint-page")).WebhookEndpointPage,
);

const NOT_FOUND = lazy<Place>(async () => NotFound);

/** The pages of an account, by their name in the URL. */
const SECTIONS = new Map([
  ["pools", lazy<Place>(async () => (await import("../pages/account-page")).AccountPage)],
  ["numbers", lazy<Place>(async () => (await import("../pages/numbers-page")).NumbersPage)],
  ["calls", lazy<Place>(async () => (await import("../pages/calls/calls-page")).CallsPage)],
  ["report", lazy<Place>(async () => (await import("../pages/calls/report-page")).ReportPage)],
]);

/** The page that the URL names. If it names none: the pools of the caller's account, or the list of accounts for a caller without one. */
export function CurrentPage({ route }: { readonly route: Route }) {
  const { page: Page, ...place } = findPage(route);
  return <Page key={`${place.account} ${place.id}`} {...place} />;
}

/** Starts loading the code of a page before the server has confirmed that the caller may see it. */
export function preloadPage(route: Route): void {
  findPage(route).page.preload();
}

/** Returns the account in the URL or, failing that, the one that the caller is bound to; undefined if there is neither. */
export function accountOf(route: Route): string | undefined {
  return findPage(route).account || undefined;
}

function findPage({ segments: [part = "accounts", ...rest] }: Route) {
  // The URL of the webhook endpoints of all accounts has no account.
  const [account = "", section = "pools", id = "", tab = "sources"] =
    part === "webhook-endpoints" ? ["", part, ...rest] : rest;
  const shown = account || (caller.value?.accountToken ?? "");
  return { page: pageOf(part, shown, section, id), account: shown, id, tab };
}

function pageOf(part: string, account: string, section: string, id: string) {
  if (part === "inventory") return INVENTORY;
  if (part === "phone-systems") return PHONE_SYSTEMS;
  if (part === "try") return TRY;
  if (part !== "accounts" && part !== "webhook-endpoints") return NOT_FOUND;
  if (section === "webhook-endpoints") return id === "" ? WEBHOOK_ENDPOINTS : WEBHOOK_ENDPOINT;
  if (account === "") return ACCOUNTS;
  if (section === "pools" && id !== "") return id === "new" ? NEW_POOL : POOL;
  return SECTIONS.get(section) ?? NOT_FOUND;
}

function NotFound() {
  return (
    <Page title="There is no such page">
      <p>
        <a href={linkTo()}>Go to the accounts</a>
      </p>
    </Page>
  );
}
