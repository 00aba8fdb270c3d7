import { type PhoneNumber, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { api } from "../api/client";
import { hasScope } from "../api/identity";
import { eventsAbout } from "../events/event-filters";
import { phoneNumberText, stripSpaces } from "../format/phone-number-text";
import { linkTo } from "../routing/route";
import { ActionForm, fieldText } from "../ui/action-form";
import type { Column } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { TextField } from "../ui/field";
import { PagedTable } from "../ui/paged-table";
import { Time } from "../ui/time";
import { useCreation } from "../ui/use-creation";
import { usePagedList } from "../ui/use-paged-list";
import { AccountFrame } from "./account-frame";

const PAGE_SIZE = 500;

export function NumbersPage({ account }: { readonly account: string }) {
  const list = usePagedList(
    `phone numbers of ${account}`,
    (pageToken, signal) =>
      api(PhoneNumberService).listPhoneNumbers({ accountId: account, pageSize: PAGE_SIZE, pageToken }, { signal }),
    { changedBy: eventsAbout("phone_number") },
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
          <Empty title="No numbers yet">
            Register the number at which the account's calls arrive, then create a pool for it.
          </Empty>
        }
      />
      {hasScope("write") && <NewNumber account={account} onCreated={list.reload} />}
    </AccountFrame>
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
  const create = useCreation(
    "Registering the number",
    (form, requestId) =>
      api(PhoneNumberService).createPhoneNumber({
        accountId: account,
        phoneNumber: stripSpaces(fieldText(form, "phone_number")),
        description: fieldText(form, "description"),
        propertyToken: fieldText(form, "property_token"),
        requestId,
      }),
    (_, form) => {
      form.reset();
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
