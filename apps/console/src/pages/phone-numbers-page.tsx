import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { hasScope } from "../api/caller-identity";
import { createApiClient } from "../api/client";
import { createResourceKindEventFilter } from "../events/event-filters";
import { formatPhoneNumber, stripSpaces } from "../format/format-phone-number";
import { linkTo } from "../routing/route";
import { ActionForm, readFieldText } from "../ui/action-form";
import type { TableColumn } from "../ui/data-table";
import { EmptyNotice } from "../ui/empty-notice";
import { TextField } from "../ui/form-field";
import { LocalTime } from "../ui/local-time";
import { PagedTable } from "../ui/paged-table";
import { useCreation } from "../ui/use-creation";
import { usePagedList } from "../ui/use-paged-list";
import { AccountFrame } from "./account-frame";

const PAGE_SIZE = 500;

export function PhoneNumbersPage({ account }: { readonly account: string }) {
  const list = usePagedList(
    `phone numbers of ${account}`,
    (pageToken, signal) =>
      createApiClient(PhoneNumberService).listPhoneNumbers(
        { accountId: account, pageSize: PAGE_SIZE, pageToken },
        { signal },
      ),
    { changedBy: createResourceKindEventFilter("phone_number") },
  );
  return (
    <AccountFrame account={account} current="numbers">
      <PagedTable
        label="Numbers"
        list={list}
        rowsOf={({ phoneNumbers }) => phoneNumbers}
        columns={columnsOf(account)}
        keyOf={({ id }) => id}
        empty={
          <EmptyNotice title="No numbers yet">
            Register the number at which the account's calls arrive, then create a pool for it.
          </EmptyNotice>
        }
      />
      {hasScope("write") && <NewNumber account={account} onCreated={list.reload} />}
    </AccountFrame>
  );
}

function columnsOf(account: string): readonly TableColumn<PhoneNumber>[] {
  const columns: readonly TableColumn<PhoneNumber>[] = [
    { title: "Number", isHeader: true, cell: ({ phoneNumber }) => formatPhoneNumber(phoneNumber) },
    { title: "Description", cell: ({ description }) => description ?? "–" },
    { title: "Property", wideOnly: true, cell: ({ propertyToken }) => propertyToken ?? "–" },
    { title: "Registered", wideOnly: true, cell: ({ createdAt }) => <LocalTime value={createdAt} /> },
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
  const create = useCreation(
    "Registering the number",
    (form, requestId) =>
      createApiClient(PhoneNumberService).createPhoneNumber({
        accountId: account,
        phoneNumber: stripSpaces(readFieldText(form, "phone_number")),
        description: readFieldText(form, "description"),
        propertyToken: readFieldText(form, "property_token"),
        requestId,
      }),
    (_, reset) => {
      reset();
      onCreated();
    },
  );
  return (
    <section class="card narrow" aria-labelledby="new-number">
      <h2 id="new-number">Register a number</h2>
      <ActionForm action={create} submit="Register number" isPrimary={false}>
        <TextField label="Phone number" name="phone_number" inputMode="tel" placeholder="+14155550100" />
        <TextField label="Description" name="description" />
        <TextField label="Property" name="property_token" hint="The web site that shows the number." />
      </ActionForm>
    </section>
  );
}
