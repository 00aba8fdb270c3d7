import { caller } from "../api/identity";
import { linkTo, type Route } from "../routing/route";
import { lazy } from "../ui/lazy";
import { Page } from "../ui/page";

/** The account, pool or webhook endpoint, and tab in an address; empty where it has none. Each page uses those that concern it. */
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

/** The pages of an account, by the word in their address. */
const SECTIONS = new Map([
  ["pools", lazy<Place>(async () => (await import("../pages/account-page")).AccountPage)],
  ["numbers", lazy<Place>(async () => (await import("../pages/numbers-page")).NumbersPage)],
  ["calls", lazy<Place>(async () => (await import("../pages/calls/calls-page")).CallsPage)],
  ["report", lazy<Place>(async () => (await import("../pages/calls/report-page")).ReportPage)],
]);

/** The page that the address names. Without a place it is the caller's account, or the list of accounts. */
export function CurrentPage({ route }: { readonly route: Route }) {
  const { page: Page, ...place } = findPage(route);
  return <Page key={`${place.account} ${place.id}`} {...place} />;
}

/** Starts to load the code of a page before it may be shown. */
export function preloadPage(route: Route): void {
  findPage(route).page.preload();
}

/** Returns the account in an address, or the one that the caller is bound to; undefined if a page shows no single account. */
export function accountOf(route: Route): string | undefined {
  return findPage(route).account || undefined;
}

function findPage({ segments: [part = "accounts", ...rest] }: Route) {
  // The webhook endpoints of all accounts have no account in their address.
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
