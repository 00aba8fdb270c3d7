import { type Account, AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { hasScope, seesAllAccounts } from "../api/identity";
import { eventsAbout } from "../events/event-filters";
import { linkTo } from "../routing/route";
import { ActionForm, fieldText } from "../ui/action-form";
import { Badge } from "../ui/badge";
import type { Column } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { TextField } from "../ui/field";
import { Filters } from "../ui/filters";
import { Page } from "../ui/page";
import { PagedTable } from "../ui/paged-table";
import { Time } from "../ui/time";
import { useCreation } from "../ui/use-creation";
import { usePagedList } from "../ui/use-paged-list";

const PAGE_SIZE = 200;

const STATES = [
  ["", "any"],
  ["enabled", "enabled"],
  ["disabled", "disabled"],
] as const;

const COLUMNS: readonly Column<Account>[] = [
  {
    title: "Account",
    isHeader: true,
    cell: ({ accountToken }) => <a href={linkTo("accounts", accountToken, "pools")}>{accountToken}</a>,
  },
  {
    title: "Call tracking",
    cell: ({ isActive }) => (isActive ? <Badge kind="good">enabled</Badge> : <Badge>disabled</Badge>),
  },
  { title: "Created", wideOnly: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
  { title: "ID", numeric: true, wideOnly: true, cell: ({ id }) => id },
];

/** A searchable list of the accounts, with a form for a new one. */
export function AccountsPage() {
  const [query, setQuery] = useState("");
  const [state, setState] = useState("");
  const list = usePagedList(
    `accounts ${query} ${state}`,
    (pageToken, signal) => {
      const filters = { query: query || undefined, isActive: state === "" ? undefined : state === "enabled" };
      return api(AccountService).listAccounts({ ...filters, pageSize: PAGE_SIZE, pageToken }, { signal });
    },
    { changedBy: eventsAbout("account") },
  );
  return (
    <Page title="Accounts">
      <Filters
        filters={[
          { label: "Account token begins with", type: "search", value: query, onChange: setQuery },
          { label: "Call tracking", value: state, onChange: setState, options: STATES },
        ]}
      />
      <PagedTable
        label="Accounts"
        list={list}
        rowsOf={({ accounts }) => accounts}
        columns={COLUMNS}
        keyOf={({ id }) => String(id)}
        empty={<Empty title={query === "" && state === "" ? "No accounts yet" : "No account matches the filters"} />}
      />
      {hasScope("write") && seesAllAccounts() && <NewAccount />}
    </Page>
  );
}

function NewAccount() {
  const create = useCreation(
    "Creating the account",
    (form, requestId) =>
      api(AccountService).createAccount({ accountToken: fieldText(form, "account_token"), requestId }),
    ({ accountToken }) => {
      location.hash = linkTo("accounts", accountToken, "numbers");
    },
  );
  return (
    <section class="card narrow" aria-labelledby="new-account">
      <h2 id="new-account">New account</h2>
      <ActionForm action={create} submit="Create account" isPrimary={false}>
        <TextField label="Account token" name="account_token" hint="The account's identifier on your platform." />
      </ActionForm>
    </section>
  );
}
