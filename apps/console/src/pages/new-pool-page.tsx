import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { findUnrecordedCallsWarning } from "@calltrack/domain/unrecorded-calls";
import { useState } from "preact/hooks";
import { createApiClient } from "../api/client";
import { readListPages } from "../api/list-pages";
import { useLoad } from "../api/use-load";
import { createResourceKindEventFilter } from "../events/event-filters";
import { formatPhoneNumber } from "../format/format-phone-number";
import { parseIntegerOrZero } from "../format/number-text";
import { currentRoute, linkTo } from "../routing/route";
import { ActionForm, readFieldText } from "../ui/action-form";
import { Checkbox } from "../ui/checkbox";
import { SelectField, TextField } from "../ui/form-field";
import { LoadedView } from "../ui/loaded-view";
import { WarningNotice } from "../ui/notice";
import { Page } from "../ui/page";
import { useCreation } from "../ui/use-creation";
import { createPoolBreadcrumbs } from "./account-frame";

export function NewPoolPage({ account }: { readonly account: string }) {
  const loaded = useLoad(
    `phone numbers of ${account}`,
    (signal) =>
      readListPages(
        (page) => createApiClient(PhoneNumberService).listPhoneNumbers({ accountId: account, ...page }, { signal }),
        ({ phoneNumbers }) => phoneNumbers.map(({ phoneNumber }) => phoneNumber),
      ),
    { changedBy: createResourceKindEventFilter("phone_number") },
  );
  return (
    <Page title="New pool" path={createPoolBreadcrumbs(account)}>
      <LoadedView of={loaded} what="the account's numbers">
        {({ entries }) => <PoolForm account={account} numbers={entries} />}
      </LoadedView>
    </Page>
  );
}

function PoolForm({ account, numbers }: { readonly account: string; readonly numbers: readonly string[] }) {
  const [type, setType] = useState("automanaged");
  const [isPrompted, setPrompted] = useState(false);
  const [isRecorded, setRecorded] = useState(false);
  const create = useCreation(
    "Creating the pool",
    (form, requestId) => createApiClient(PoolService).createPool({ accountId: account, ...fieldsOf(form), requestId }),
    ({ id }) => {
      location.hash = linkTo("accounts", account, "pools", id);
    },
  );
  return (
    <div class="card narrow">
      <ActionForm action={create} submit="Create pool">
        <SelectField
          label="Original number"
          name="original_number"
          defaultValue={currentRoute.peek().query.get("number") ?? ""}
          options={numbers.map((number) => [number, formatPhoneNumber(number)] as const)}
          hint={
            numbers.length === 0
              ? "The account has no phone numbers: register one first."
              : "The phone number to which calls are forwarded."
          }
        />
        <SelectField
          label="Type"
          name="pool_type"
          value={type}
          onChange={setType}
          options={[
            ["automanaged", "automanaged: numbers go to the sources with the most visits"],
            ["manual", "manual: people activate the call trackers"],
          ]}
        />
        <TextField label="Area code" name="area_code" inputMode="numeric" />
        <TextField
          label="Size"
          name="size"
          type="number"
          defaultValue="10"
          hint="Maximum number of call trackers (tracking numbers in the pool)."
        />
        {type === "automanaged" && (
          <TextField
            label="Utilization"
            name="utilization"
            type="number"
            step="any"
            defaultValue="0.5"
            hint="Maximum number of active call trackers as a share of the size, from 0 to 1."
          />
        )}
        <TextField
          label="Property"
          name="property_token"
          hint="The web site that shows the numbers and whose visits rank the sources."
        />
        <TextField label="Description" name="description" />
        <fieldset class="checks">
          <legend>Calls</legend>
          <Checkbox label="Show the numbers on web pages (DNI)" name="is_dni" defaultChecked />
          <Checkbox label="Play a prompt to callers before connecting them" name="is_prompted" onChange={setPrompted} />
          <Checkbox label="Record calls" name="is_recorded" onChange={setRecorded} />
        </fieldset>
        <WarningNotice text={findUnrecordedCallsWarning({ isPrompted, isRecorded })} />
      </ActionForm>
    </div>
  );
}

function fieldsOf(form: HTMLFormElement) {
  const utilization = readFieldText(form, "utilization");
  return {
    originalNumber: readFieldText(form, "original_number"),
    areaCode: readFieldText(form, "area_code"),
    size: parseIntegerOrZero(readFieldText(form, "size")),
    poolType: readFieldText(form, "pool_type") === "automanaged" ? PoolType.AUTOMANAGED : PoolType.MANUAL,
    isDni: readFieldText(form, "is_dni") !== undefined,
    isPrompted: readFieldText(form, "is_prompted") !== undefined,
    isRecorded: readFieldText(form, "is_recorded") !== undefined,
    utilization: utilization === undefined ? undefined : Number(utilization),
    propertyToken: readFieldText(form, "property_token"),
    description: readFieldText(form, "description"),
  };
}
