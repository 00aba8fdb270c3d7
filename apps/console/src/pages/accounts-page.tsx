import { type Account, AccountService } from "@calltrack/domain/gen/calltracking/v1/account_pb";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { hasScope, seesAllAccounts } from "../api/identity";
import { useLoad } from "../api/use-load";
import { linkTo } from "../routing/route";
import { Badge } from "../ui/badge";
import { type Column, DataTable } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { TextField } from "../ui/field";
import { Filters } from "../ui/filters";
import { Loading } from "../ui/loading";
import { FailureNotice } from "../ui/notice";
import { Page } from "../ui/page";
import { Pager } from "../ui/pager";
import { Time } from "../ui/time";
import { useAction } from "../ui/use-action";
import { usePages } from "../ui/use-pages";

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
  { title: "Id", numeric: true, wideOnly: true, cell: ({ id }) => id },
];

/** The accounts, with search and a form for a new one. */
export function AccountsPage() {
  const [query, setQuery] = useState("");
  const [state, setState] = useState("");
  const key = `accounts ${query} ${state}`;
  const pages = usePages(key);
  const loaded = useLoad(`${key} ${pages.token}`, (signal) => {
    const filters = { ...(query !== "" && { query }), ...(state !== "" && { isActive: state === "enabled" }) };
    return api(AccountService).listAccounts(
      { ...filters, pageSize: PAGE_SIZE, pageToken: pages.token || undefined },
      { signal },
    );
  });
  return (
    <Page title="Accounts">
      <Filters
        filters={[
          { label: "Token begins with", type: "search", value: query, onChange: setQuery },
          { label: "Call tracking", value: state, onChange: setState, options: STATES },
        ]}
      />
      <Loading of={loaded} what="accounts">
        {({ accounts, nextPageToken }) => (
          <>
            {accounts.length === 0 ? (
              <Empty title={query === "" && state === "" ? "No accounts yet" : "No account matches"} />
            ) : (
              <DataTable label="Accounts" columns={COLUMNS} rows={accounts} keyOf={({ id }) => String(id)} />
            )}
            <Pager
              what="accounts"
              page={pages.page}
              hasNext={nextPageToken !== ""}
              onNext={() => pages.next(nextPageToken)}
              onBack={pages.back}
            />
          </>
        )}
      </Loading>
      {hasScope("write") && seesAllAccounts() && <NewAccount />}
    </Page>
  );
}

/** Creates an account, and goes to it. */
function NewAccount() {
  const [token, setToken] = useState("");
  const create = useAction(async () => {
    const { accountToken } = await api(AccountService).createAccount({
      accountToken: token,
      requestId: crypto.randomUUID(),
    });
    location.hash = linkTo("accounts", accountToken, "numbers");
  });
  const problem = create.failure?.violations.account_token;
  return (
    <section class="card narrow" aria-labelledby="new-account">
      <h2 id="new-account">New account</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.run();
        }}
      >
        <TextField
          label="Account token"
          value={token}
          onChange={setToken}
          hint="The account's identifier on your platform."
          problem={problem}
        />
        {problem === undefined && <FailureNotice failure={create.failure} title="The account was not created" />}
        <button type="submit" disabled={create.isRunning}>
          Create account
        </button>
      </form>
    </section>
  );
}
