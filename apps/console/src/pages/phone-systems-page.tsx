import {
  type PhoneSystem,
  PhoneSystemKindSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { createApiClient } from "../api/client";
import { type LoadedValue, useLoad } from "../api/use-load";
import { createResourceKindEventFilter } from "../events/event-filters";
import { formatEnumValueAsWords } from "../format/enum-text";
import { formatPhoneNumber } from "../format/format-phone-number";
import { Badge } from "../ui/badge";
import { CopyableValue } from "../ui/copyable-value";
import { DataTable, type TableColumn } from "../ui/data-table";
import { EmptyNotice } from "../ui/empty-notice";
import { LoadedView } from "../ui/loaded-view";
import { ActionFailureNotice } from "../ui/notice";
import { Page } from "../ui/page";
import { useEdit } from "../ui/use-edit";

export function PhoneSystemsPage() {
  const loaded = useLoad(
    "phone systems",
    async (signal) => {
      const { phoneSystems } = await createApiClient(PhoneSystemService).listPhoneSystems({}, { signal });
      return phoneSystems;
    },
    { changedBy: createResourceKindEventFilter("phone_system") },
  );
  return (
    <Page title="Phone systems">
      <p class="lead">The telephony providers, PBXs and SIP proxies that carry calls.</p>
      <LoadedView of={loaded} what="phone systems">
        {(systems) => <PhoneSystems value={systems} loaded={loaded} />}
      </LoadedView>
    </Page>
  );
}

interface PhoneSystemsProps {
  readonly value: readonly PhoneSystem[];
  readonly loaded: LoadedValue<readonly PhoneSystem[]>;
}

function PhoneSystems({ value, loaded }: PhoneSystemsProps) {
  const edit = useEdit({
    ...{ name: "Changing the phone system", loaded, value },
    fieldsOf: (systems) => Object.fromEntries(systems.map(({ id, isActive }) => [id, isActive])),
    send: (changes) => Promise.all(value.map((system) => update(system, changes[system.id]))),
  });
  const toggle = ({ id, name, isActive }: PhoneSystem) => {
    const question = `Disable ${name}? Until you enable the phone system again, its calls reach only the fallback number that is set in its configuration.`;
    if (!isActive || confirm(question)) edit.apply({ [id]: !isActive });
  };
  return (
    <>
      <ActionFailureNotice of={edit} />
      <DataTable
        label="Phone systems"
        columns={[...COLUMNS, actionColumn(toggle)]}
        rows={value}
        keyOf={({ id }) => id}
        empty={
          <EmptyNotice title="No phone systems yet">
            Create one with <code>calltrack phone-systems create</code>.
          </EmptyNotice>
        }
      />
    </>
  );
}

/** Enables or disables a phone system. If `isActive` is undefined, returns the phone system unchanged. */
async function update(system: PhoneSystem, isActive: boolean | undefined): Promise<PhoneSystem> {
  if (isActive === undefined) return system;
  return createApiClient(PhoneSystemService).updatePhoneSystem({
    phoneSystemId: system.id,
    etag: system.etag,
    isActive,
  });
}

const COLUMNS: readonly TableColumn<PhoneSystem>[] = [
  { title: "Name", isHeader: true, cell: ({ name }) => name },
  { title: "Kind", cell: ({ kind }) => formatEnumValueAsWords(PhoneSystemKindSchema, kind) },
  { title: "State", cell: (system) => <State {...system} /> },
  { title: "Fallback number", wideOnly: true, cell: ({ fallbackNumber }) => formatPhoneNumber(fallbackNumber) },
  { title: "URLs", cell: (system) => <Urls {...system} /> },
];

function State({ isActive, credentials }: PhoneSystem) {
  if (!isActive) return <Badge>disabled</Badge>;
  const isReadable = credentials.some((credential) => credential.isReadable);
  return isReadable ? <Badge kind="good">enabled</Badge> : <Badge kind="bad">credentials unreadable</Badge>;
}

/** The URLs to set in the phone system's configuration. */
function Urls({ name, voiceUrl, statusUrl }: PhoneSystem) {
  if (voiceUrl === "") return <span class="muted">none: set PUBLIC_URL on the server</span>;
  return (
    <div class="urls">
      <CopyableValue title="for incoming calls" what={`the URL for incoming calls of ${name}`} value={voiceUrl} />
      <CopyableValue title="for call status" what={`the URL for call status of ${name}`} value={statusUrl} />
    </div>
  );
}

function actionColumn(onToggle: (system: PhoneSystem) => void): TableColumn<PhoneSystem> {
  return {
    title: "Action",
    cell: (system) => {
      const action = system.isActive ? "Disable" : "Enable";
      return (
        <button type="button" class="small" aria-label={`${action} ${system.name}`} onClick={() => onToggle(system)}>
          {action}
        </button>
      );
    },
  };
}
