import {
  type PhoneSystem,
  PhoneSystemKindSchema,
  PhoneSystemService,
} from "@calltrack/domain/gen/calltracking/v1/phone_system_pb";
import { api } from "../api/client";
import { type Loaded, useLoad } from "../api/use-load";
import { eventsAbout } from "../events/event-filters";
import { enumText } from "../format/enum-text";
import { phoneNumberText } from "../format/phone-number-text";
import { Badge } from "../ui/badge";
import { Copyable } from "../ui/copyable";
import { type Column, DataTable } from "../ui/data-table";
import { Empty } from "../ui/empty";
import { Loading } from "../ui/loading";
import { ActionFailure } from "../ui/notice";
import { Page } from "../ui/page";
import { useEdit } from "../ui/use-edit";

export function PhoneSystemsPage() {
  const loaded = useLoad(
    "phone systems",
    async (signal) => {
      const { phoneSystems } = await api(PhoneSystemService).listPhoneSystems({}, { signal });
      return phoneSystems;
    },
    { changedBy: eventsAbout("phone_system") },
  );
  return (
    <Page title="Phone systems">
      <p class="lead">The telephony providers, PBXs and SIP proxies that carry calls.</p>
      <Loading of={loaded} what="phone systems">
        {(systems) => <PhoneSystems value={systems} loaded={loaded} />}
      </Loading>
    </Page>
  );
}

interface PhoneSystemsProps {
  readonly value: readonly PhoneSystem[];
  readonly loaded: Loaded<readonly PhoneSystem[]>;
}

function PhoneSystems({ value, loaded }: PhoneSystemsProps) {
  const edit = useEdit({
    ...{ name: "Changing the phone system", loaded, value },
    fieldsOf: (systems) => Object.fromEntries(systems.map(({ id, isActive }) => [id, isActive])),
    send: (changes) => Promise.all(value.map((system) => update(system, changes[system.id]))),
  });
  const toggle = ({ id, name, isActive }: PhoneSystem) => {
    const question = `Disable ${name}? Until you enable it again, its calls reach only the fallback that is set in the phone system.`;
    if (!isActive || confirm(question)) edit.apply({ [id]: !isActive });
  };
  return (
    <>
      <ActionFailure of={edit} />
      <DataTable
        label="Phone systems"
        columns={[...COLUMNS, actionColumn(toggle)]}
        rows={value}
        keyOf={({ id }) => id}
        empty={
          <Empty title="No phone systems yet">
            Create one with <code>calltrack phone-systems create</code>.
          </Empty>
        }
      />
    </>
  );
}

/** Enables or disables a phone system. If `isActive` is undefined, leaves it as it is. */
async function update(system: PhoneSystem, isActive: boolean | undefined): Promise<PhoneSystem> {
  if (isActive === undefined) return system;
  return api(PhoneSystemService).updatePhoneSystem({ phoneSystemId: system.id, etag: system.etag, isActive });
}

const COLUMNS: readonly Column<PhoneSystem>[] = [
  { title: "Name", isHeader: true, cell: ({ name }) => name },
  { title: "Kind", cell: ({ kind }) => enumText(PhoneSystemKindSchema, kind) },
  { title: "State", cell: (system) => <State {...system} /> },
  { title: "Fallback number", wideOnly: true, cell: ({ fallbackNumber }) => phoneNumberText(fallbackNumber) },
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
      <Copyable title="for incoming calls" what={`the URL for incoming calls of ${name}`} value={voiceUrl} />
      <Copyable title="for call status" what={`the URL for call status of ${name}`} value={statusUrl} />
    </div>
  );
}

function actionColumn(onToggle: (system: PhoneSystem) => void): Column<PhoneSystem> {
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
