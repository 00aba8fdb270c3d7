import { caller } from "../api/identity";
import { AccountPage } from "../pages/account-page";
import { AccountsPage } from "../pages/accounts-page";
import { CallsPage } from "../pages/calls/calls-page";
import { ReportPage } from "../pages/calls/report-page";
import { InventoryPage } from "../pages/inventory-page";
import { NewPoolPage } from "../pages/new-pool-page";
import { NumbersPage } from "../pages/numbers-page";
import { PoolPage } from "../pages/pool/pool-page";
import { TryPage } from "../pages/try-page";
import { linkTo, type Route } from "../routing/route";
import { Empty } from "../ui/empty";

/** The page that the address names. Without a place it is the caller's account, or the list of accounts. */
export function CurrentPage({ route: { segments } }: { readonly route: Route }) {
  const [part = "accounts", account = caller.value?.accountToken, section = "pools", pool, tab = "sources"] = segments;
  switch (part) {
    case "accounts":
      return account === undefined ? <AccountsPage /> : <AccountSection {...{ account, section, pool, tab }} />;
    case "inventory":
      return <InventoryPage />;
    case "try":
      return <TryPage />;
    default:
      return <NotFound />;
  }
}

interface AccountSectionProps {
  readonly account: string;
  readonly section: string;
  readonly pool: string | undefined;
  readonly tab: string;
}

function AccountSection({ account, section, pool, tab }: AccountSectionProps) {
  if (section === "pools" && pool === "new") return <NewPoolPage account={account} />;
  if (section === "pools" && pool !== undefined)
    return <PoolPage key={pool} account={account} poolId={pool} tab={tab} />;
  switch (section) {
    case "pools":
      return <AccountPage account={account} />;
    case "numbers":
      return <NumbersPage account={account} />;
    case "calls":
      return <CallsPage account={account} />;
    case "report":
      return <ReportPage account={account} />;
    default:
      return <NotFound />;
  }
}

function NotFound() {
  return (
    <Empty title="There is no such page">
      <a href={linkTo()}>Go to the accounts</a>
    </Empty>
  );
}
