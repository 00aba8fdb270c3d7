import { type Account, AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { useState } from "preact/hooks";
import { hasScope, seesAllAccounts } from "../api/caller-identity";
import { createApiClient } from "../api/client";
import { createResourceKindEventFilter } from "../events/event-filters";
import { linkTo } from "../routing/route";
import { ActionForm, readFieldText } from "../ui/action-form";
import { Badge } from "../ui/badge";
import type { TableColumn } from "../ui/data-table";
import { EmptyNotice } from "../ui/empty-notice";
import { FilterBar } from "../ui/filter-bar";
import { TextField } from "../ui/form-field";
import { LocalTime } from "../ui/local-time";
import { Page } from "../ui/page";
import { PagedTable } from "../ui/paged-table";
import { useCreation } from "../ui/use-creation";
import { usePagedList } from "../ui/use-paged-list";

const PAGE_SIZE = 200;

const STATES = [
  ["", "any"],
  ["enabled", "enabled"],
  ["disabled", "disabled"],
] as const;

const COLUMNS: readonly TableColumn<Account>[] = [
  {
    title: "Account",
    isHeader: true,
    cell: ({ accountToken }) => <a href={linkTo("accounts", accountToken, "pools")}>{accountToken}</a>,
  },
  {
    title: "Call tracking",
    cell: ({ isActive }) => (isActive ? <Badge kind="good">enabled</Badge> : <Badge>disabled</Badge>),
  },
  { title: "Created", wideOnly: true, cell: ({ createdAt }) => <LocalTime value={createdAt} /> },
  { title: "ID", numeric: true, wideOnly: true, cell: ({ id }) => id },
];

/** The page with the list of accounts, filters, and a form that creates an account. */
export function AccountsPage() {
  const [query, setQuery] = useState("");
  const [state, setState] = useState("");
  const list = usePagedList(
    `accounts ${query} ${state}`,
    (pageToken, signal) => {
      const filters = { query: query || undefined, isActive: state === "" ? undefined : state === "enabled" };
      return createApiClient(AccountService).listAccounts({ ...filters, pageSize: PAGE_SIZE, pageToken }, { signal });
    },
    { changedBy: createResourceKindEventFilter("account") },
  );
  return (
    <Page title="Accounts">
      <FilterBar
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
        empty={
          <EmptyNotice title={query === "" && state === "" ? "No accounts yet" : "No account matches the filters"} />
        }
      />
      {hasScope("write") && seesAllAccounts() && <NewAccount />}
    </Page>
  );
}

function NewAccount() {
  const create = useCreation(
    "Creating the account",
    (form, requestId) =>
      createApiClient(AccountService).createAccount({ accountToken: readFieldText(form, "account_token"), requestId }),
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
