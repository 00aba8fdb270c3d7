import { callerIdentity } from "../api/caller-identity";
import { linkTo, type Route } from "../routing/route";
import { lazyComponent } from "../ui/lazy-component";
import { Page } from "../ui/page";

/** The parts of the URL that pages use. `id` identifies a pool or webhook endpoint. `account` and `id` are empty if the URL does not contain them. */
interface Place {
  readonly account: string;
  readonly id: string;
  readonly tab: string;
}

const ACCOUNTS = lazyComponent<Place>(async () => (await import("../pages/accounts-page")).AccountsPage);
const INVENTORY = lazyComponent<Place>(async () => (await import("../pages/inventory-page")).InventoryPage);
const PHONE_SYSTEMS = lazyComponent<Place>(async () => (await import("../pages/phone-systems-page")).PhoneSystemsPage);
const TRY = lazyComponent<Place>(async () => (await import("../pages/try-it-page")).TryItPage);
const NEW_POOL = lazyComponent<Place>(async () => (await import("../pages/new-pool-page")).NewPoolPage);
const POOL = lazyComponent<Place>(async () => (await import("../pages/pool/pool-page")).PoolPage);

const WEBHOOK_ENDPOINTS = lazyComponent<Place>(
  async () => (await import("../pages/webhook-endpoints/webhook-endpoints-page")).WebhookEndpointsPage,
);
const WEBHOOK_ENDPOINT = lazyComponent<Place>(
  async () => (await import("../pages/webhook-endpoints/webhook-endpoint-page")).WebhookEndpointPage,
);

const NOT_FOUND = lazyComponent<Place>(async () => NotFound);

/** The pages of an account, keyed by their name in the URL. */
const SECTIONS = new Map([
  ["pools", lazyComponent<Place>(async () => (await import("../pages/pools-page")).PoolsPage)],
  ["numbers", lazyComponent<Place>(async () => (await import("../pages/phone-numbers-page")).PhoneNumbersPage)],
  ["calls", lazyComponent<Place>(async () => (await import("../pages/calls/calls-page")).CallsPage)],
  ["report", lazyComponent<Place>(async () => (await import("../pages/calls/report-page")).ReportPage)],
]);

/**
 * Shows the page that the URL names. If the URL names no page, shows the pools of the user's account. Users who are bound to no account see the
 * account list.
 */
export function CurrentPage({ route }: { readonly route: Route }) {
  const { page: Page, ...place } = findPage(route);
  return <Page key={`${place.account} ${place.id}`} {...place} />;
}

/** Starts loading the code of a page before the server has confirmed that the user may read the data of the page. */
export function preloadPage(route: Route): void {
  findPage(route).page.preload();
}

/** Returns the account in the URL or, if the URL has none, the account to which the user is bound; undefined if there is neither. */
export function findRouteAccount(route: Route): string | undefined {
  return findPage(route).account || undefined;
}

function findPage({ segments: [part = "accounts", ...rest] }: Route) {
  // The URLs of webhook endpoints for all accounts contain no account.
  const [account = "", section = "pools", id = "", tab = "sources"] =
    part === "webhook-endpoints" ? ["", part, ...rest] : rest;
  const shown = account || (callerIdentity.value?.accountToken ?? "");
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
    <Page title="This page does not exist">
      <p>
        <a href={linkTo()}>Go to the accounts</a>
      </p>
    </Page>
  );
}
