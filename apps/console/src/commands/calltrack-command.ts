import { toJson } from "@bufbuild/protobuf";
import type { SentRequest } from "../api/request-history";
import { serverUrl } from "../api/settings";
import { jsonRequestOf } from "./json-request";
import { shellWord } from "./shell-word";

/** The fields of a request, by their names in the API. */
type Fields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Words of a command; a list is an option with its value, left out if the value is undefined. */
type Words = readonly (string | readonly [option: string, value: Fields[string]])[];

const poolSettings = (f: Fields): Words => [
  ["--area-code", f.area_code],
  ["--size", f.size],
  ["--utilization", f.utilization],
];

const flag = (name: string, value: Fields[string]) => (value === true ? `--${name}` : `--no-${name}`);

/** The command of each method that has one of its own. */
const COMMANDS: Readonly<Record<string, (fields: Fields) => Words>> = {
  CreateAccount: (f) => ["accounts", "create", String(f.account_token ?? "")],
  ListAccounts: () => ["accounts", "list"],
  CreatePhoneNumber: (f) => [
    ...["numbers", "add", String(f.account_id), String(f.phone_number ?? "")],
    ["--description", f.description],
    ["--property", f.property_token],
  ],
  ListPhoneNumbers: (f) => ["numbers", "list", String(f.account_id)],
  CreatePool: (f) => [
    ...["pools", "create", String(f.account_id)],
    ["--number", f.original_number],
    ...poolSettings(f),
    ["--type", f.pool_type],
    flag("dni", f.is_dni),
    flag("prompted", f.is_prompted),
    flag("recorded", f.is_recorded),
    ["--property", f.property_token],
    ["--description", f.description],
  ],
  ListPools: (f) => ["pools", "list", String(f.account_id)],
  GetPool: (f) => ["pools", "get", String(f.account_id), String(f.pool_id)],
  ExplainPool: (f) => ["pools", "explain", String(f.account_id), String(f.pool_id)],
  ListPoolHistory: (f) => ["pools", "history", String(f.account_id), String(f.pool_id)],
  PlanPoolUpdate: (f) => ["pools", "update", String(f.account_id), String(f.pool_id), ...poolSettings(f), "--plan"],
  UpdatePool: (f) => [
    ...["pools", "update", String(f.account_id), String(f.pool_id)],
    ...poolSettings(f),
    ["--if-match", f.etag],
  ],
  ListCalls: (f) => ["calls", "list", String(f.account_id), ...callFilter(f)],
  ReportCalls: (f) => [
    ...["calls", "report", String(f.account_id)],
    ["--group-by", Array.isArray(f.group_by) ? f.group_by.join(",") : undefined],
    ["--from", f.from],
    ["--to", f.to],
    ["--time-zone", f.time_zone],
  ],
  CountTrackingNumbers: (f) => ["inventory", "count", ["--area-code", f.area_code]],
  ListTrackingNumbers: (f) => ["inventory", "list", ["--area-code", f.area_code], ["--state", f.state]],
  RetireTrackingNumber: (f) => [
    ...["inventory", "retire", String(f.phone_number)],
    ...(f.immediately === true ? ["--immediately"] : []),
  ],
  ResolveNumbers: (f) => [
    ...["dni", "numbers", String(f.account_id ?? ""), String(f.property_token ?? "")],
    ["--source", f.source],
    ["--medium", f.medium],
  ],
  ResolveCall: (f) => ["calls", "resolve", String(f.tracking_number ?? ""), ["--at", f.at]],
  ListAuditEntries: (f) => ["audit", "list", String(f.account_id ?? ""), ["--resource", f.resource_id]],
};

function callFilter(f: Fields): Words {
  return [
    ["--pool", f.pool_id],
    ["--property", f.property_token],
    ["--source", f.source],
    ["--medium", f.medium],
    ["--outcome", f.outcome],
    ["--caller", f.caller_number],
    ["--from", f.from],
    ["--to", f.to],
  ];
}

/** Returns the command of the command line that sends the same request. */
export function calltrackCommand(request: SentRequest): string {
  const words = (COMMANDS[request.method.name] ?? (() => apiCommand(request)))(fieldsOf(request));
  const text = words.flatMap((word) => {
    if (typeof word === "string") return word === "" ? [] : [shellWord(word)];
    const [option, value] = word;
    return value === undefined ? [] : [option, shellWord(String(value))];
  });
  return ["calltrack", ...text, "--server", shellWord(serverUrl)].join(" ");
}

/** The command that sends a request to any JSON path. */
function apiCommand(request: SentRequest): Words {
  const { verb, path, body } = jsonRequestOf(request);
  return ["api", verb, path, ["--data", body]];
}

/** The fields of a request as the command line writes them, with short enum values. */
function fieldsOf({ method, message }: SentRequest): Fields {
  const fields = toJson(method.input, message, { useProtoFieldName: true }) as Record<string, Fields[string]>;
  for (const field of method.input.fields) {
    const prefix = field.enum?.sharedPrefix;
    const value = fields[field.name];
    if (prefix === undefined || value === undefined) continue;
    const shorten = (name: string) => name.slice(prefix.length).toLowerCase();
    fields[field.name] = Array.isArray(value) ? value.map(shorten) : shorten(String(value));
  }
  return fields;
}
