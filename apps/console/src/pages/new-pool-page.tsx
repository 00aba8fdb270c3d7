import { PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import { PoolService, PoolType } from "@calltrack/domain/gen/calltracking/v1/pool_pb";
import { useState } from "preact/hooks";
import { api } from "../api/client";
import { useLoad } from "../api/use-load";
import { phoneNumberText } from "../format/phone-number-text";
import { linkTo, route } from "../routing/route";
import { ActionForm } from "../ui/action-form";
import { SelectField, TextField } from "../ui/field";
import { Loading } from "../ui/loading";
import { Page } from "../ui/page";
import { useAction } from "../ui/use-action";
import { accountPath } from "./account-tabs";

const MAX_NUMBERS = 1000;

/** A form for a new pool. */
export function NewPoolPage({ account }: { readonly account: string }) {
  const loaded = useLoad(`phone numbers of ${account}`, (signal) =>
    api(PhoneNumberService).listPhoneNumbers({ accountId: account, pageSize: MAX_NUMBERS }, { signal }),
  );
  return (
    <Page title="New pool" path={[...accountPath(), [account, linkTo("accounts", account, "pools")]]}>
      <Loading of={loaded} what="the account's numbers">
        {({ phoneNumbers }) => (
          <PoolForm account={account} numbers={phoneNumbers.map(({ phoneNumber }) => phoneNumber)} />
        )}
      </Loading>
    </Page>
  );
}

const NEW_POOL = {
  areaCode: "",
  size: "10",
  utilization: "0.5",
  type: "automanaged",
  property: "",
  description: "",
  isDni: true,
  isPrompted: false,
  isRecorded: false,
};

type NewPool = typeof NEW_POOL & { readonly number: string };

function PoolForm({ account, numbers }: { readonly account: string; readonly numbers: readonly string[] }) {
  const [pool, setPool] = useState<NewPool>(() => ({
    ...NEW_POOL,
    number: route.peek().query.get("number") ?? numbers[0] ?? "",
  }));
  const set = (name: keyof NewPool) => (value: string | boolean) => setPool({ ...pool, [name]: value });
  const create = useAction(async () => {
    const { id } = await api(PoolService).createPool({
      accountId: account,
      ...fieldsOf(pool),
      requestId: crypto.randomUUID(),
    });
    location.hash = linkTo("accounts", account, "pools", id);
  });
  const violations = create.failure?.violations ?? {};
  const isAutomanaged = pool.type === "automanaged";
  return (
    <div class="card narrow">
      <ActionForm action={create} submit="Create pool" title="The pool was not created">
        <SelectField
          label="Original number"
          value={pool.number}
          onChange={set("number")}
          options={numbers.map((number) => [number, phoneNumberText(number)] as const)}
          hint={
            numbers.length === 0
              ? "The account has no numbers: register one first."
              : "The number that calls are forwarded to."
          }
          problem={violations.original_number}
        />
        <SelectField
          label="Type"
          value={pool.type}
          onChange={set("type")}
          options={[
            ["automanaged", "automanaged: for the most visited sources"],
            ["manual", "manual: people assign numbers"],
          ]}
          problem={violations.pool_type}
        />
        <TextField
          label="Area code"
          inputMode="numeric"
          value={pool.areaCode}
          onChange={set("areaCode")}
          problem={violations.area_code}
        />
        <TextField
          label="Size"
          type="number"
          value={pool.size}
          onChange={set("size")}
          hint="Maximum number of call trackers."
          problem={violations.size}
        />
        {isAutomanaged && (
          <TextField
            label="Utilization"
            type="number"
            step="any"
            value={pool.utilization}
            onChange={set("utilization")}
            hint="Share of the numbers that are active at a time, 0 to 1."
            problem={violations.utilization}
          />
        )}
        <TextField
          label="Property"
          value={pool.property}
          onChange={set("property")}
          hint="The web site whose visits the pool follows."
          problem={violations.property_token}
        />
        <TextField
          label="Description"
          value={pool.description}
          onChange={set("description")}
          problem={violations.description}
        />
        <fieldset class="checks">
          <legend>Calls</legend>
          <Check label="Show the numbers on web pages (DNI)" isChecked={pool.isDni} onChange={set("isDni")} />
          <Check label="Play a prompt before calls" isChecked={pool.isPrompted} onChange={set("isPrompted")} />
          <Check label="Record calls" isChecked={pool.isRecorded} onChange={set("isRecorded")} />
        </fieldset>
      </ActionForm>
    </div>
  );
}

function fieldsOf(pool: NewPool) {
  const isAutomanaged = pool.type === "automanaged";
  return {
    originalNumber: pool.number,
    areaCode: pool.areaCode,
    size: Number.isInteger(Number(pool.size)) ? Number(pool.size) : 0,
    poolType: isAutomanaged ? PoolType.AUTOMANAGED : PoolType.MANUAL,
    isDni: pool.isDni,
    isPrompted: pool.isPrompted,
    isRecorded: pool.isRecorded,
    ...(isAutomanaged && pool.utilization !== "" && { utilization: Number(pool.utilization) }),
    ...(pool.property !== "" && { propertyToken: pool.property }),
    ...(pool.description !== "" && { description: pool.description }),
  };
}

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

function Check({ label, isChecked, onChange }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
