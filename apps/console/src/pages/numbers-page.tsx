import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { hasScope } from "../api/identity";
import { useLoad } from "../api/use-load";
import { phoneNumberText, typedNumber } from "../format/phone-number-text";
import { linkTo } from "../routing/route";
import { type Column, DataTable } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { TextField } from "../ui/field";
import { Loading } from "../ui/loading";
import { FailureNotice } from "../ui/notice";
import { Page } from "../ui/page";
import { Pager } from "../ui/pager";
import { Time } from "../ui/time";
import { useAction } from "../ui/use-action";
import { usePages } from "../ui/use-pages";
import { AccountTabs, accountPath } from "./account-tabs";

const PAGE_SIZE = 500;

/** The phone numbers of an account, with a form for another one. */
export function NumbersPage({ account }: { readonly account: string }) {
  const key = `phone numbers of ${account}`;
  const pages = usePages(key);
  const loaded = useLoad(`${key} ${pages.token}`, (signal) =>
    api(PhoneNumberService).listPhoneNumbers(
      { accountId: account, pageSize: PAGE_SIZE, pageToken: pages.token || undefined },
      { signal },
    ),
  );
  return (
    <Page title={account} path={accountPath()}>
      <AccountTabs account={account} current="numbers" />
      <Loading of={loaded} what="numbers">
        {({ phoneNumbers, nextPageToken }) => (
          <>
            {phoneNumbers.length === 0 ? (
              <Empty title="No numbers yet">
                Register the number at which the account's calls arrive, then create a pool for it.
              </Empty>
            ) : (
              <DataTable label="Numbers" columns={columnsOf(account)} rows={phoneNumbers} keyOf={({ id }) => id} />
            )}
            <Pager
              what="numbers"
              page={pages.page}
              hasNext={nextPageToken !== ""}
              onNext={() => pages.next(nextPageToken)}
              onBack={pages.back}
            />
          </>
        )}
      </Loading>
      {hasScope("write") && <NewNumber account={account} onCreated={loaded.reload} />}
    </Page>
  );
}

function columnsOf(account: string): readonly Column<PhoneNumber>[] {
  const columns: readonly Column<PhoneNumber>[] = [
    { title: "Number", isHeader: true, cell: ({ phoneNumber }) => phoneNumberText(phoneNumber) },
    { title: "Description", cell: ({ description }) => description ?? "–" },
    { title: "Property", wideOnly: true, cell: ({ propertyToken }) => propertyToken ?? "–" },
    { title: "Registered", wideOnly: true, cell: ({ createdAt }) => <Time value={createdAt} /> },
  ];
  if (!hasScope("write")) return columns;
  const link = (number: string) =>
    `${linkTo("accounts", account, "pools", "new")}?number=${encodeURIComponent(number)}`;
  return [...columns, { title: "Action", cell: ({ phoneNumber }) => <a href={link(phoneNumber)}>New pool</a> }];
}

interface NewNumberProps {
  readonly account: string;
  readonly onCreated: () => void;
}

function NewNumber({ account, onCreated }: NewNumberProps) {
  const [number, setNumber] = useState("");
  const [description, setDescription] = useState("");
  const [property, setProperty] = useState("");
  const create = useAction(async () => {
    await api(PhoneNumberService).createPhoneNumber({
      accountId: account,
      phoneNumber: typedNumber(number),
      ...(description !== "" && { description }),
      ...(property !== "" && { propertyToken: property }),
      requestId: crypto.randomUUID(),
    });
    setNumber("");
    setDescription("");
    setProperty("");
    onCreated();
  });
  const violations = create.failure?.violations ?? {};
  return (
    <section class="card narrow" aria-labelledby="new-number">
      <h2 id="new-number">Register a number</h2>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          create.run();
        }}
      >
        <TextField
          label="Phone number"
          inputMode="tel"
          value={number}
          onChange={setNumber}
          placeholder="+14155550100"
          problem={violations.phone_number}
        />
        <TextField label="Description" value={description} onChange={setDescription} problem={violations.description} />
        <TextField
          label="Property"
          value={property}
          onChange={setProperty}
          hint="The web site that shows the number."
          problem={violations.property_token}
        />
        {Object.keys(violations).length === 0 && (
          <FailureNotice failure={create.failure} title="The number was not registered" />
        )}
        <button type="submit" disabled={create.isRunning}>
          Register number
        </button>
      </form>
    </section>
  );
}
