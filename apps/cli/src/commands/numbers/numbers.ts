import { PhoneNumberSchema, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { Command } from "commander";
import { createAction } from "../../invocation/create-action.js";
import { addExamples } from "../../options/command-examples.js";
import { parseCountOption } from "../../options/option-value.js";
import { addWatchOption } from "../../options/watch.js";
import type { ResourceView } from "../../output/resource-view.js";
import type { Host } from "../../process/host.js";
import { listPhoneNumbers } from "./list-phone-numbers.js";
import { addNumbersImport } from "./numbers-import.js";

const phoneNumberView: ResourceView<typeof PhoneNumberSchema> = {
  schema: PhoneNumberSchema,
  expendable: ["account_token", "updated_at", "created_at", "property_token", "description"],
};

/** Defines the subcommands of `numbers`. */
export function defineNumbers(numbers: Command, host: Host): void {
  addExamples(numbers, [
    "calltrack numbers add acme +12223334444",
    "calltrack numbers list acme",
    "calltrack numbers import acme numbers.csv",
  ]);
  addAdd(numbers, host);
  addGet(numbers, host);
  addList(numbers, host);
  addNumbersImport(numbers, host);
}

interface AddOptions {
  readonly description?: string;
  readonly property?: string;
}

function addAdd(numbers: Command, host: Host): void {
  const add = numbers
    .command("add")
    .description("register a phone number for an account")
    .argument("<account>", "the account's token or id")
    .argument("<number>", "the number in E.164 format, such as +12223334444")
    .option("--description <text>", "a note on the number's purpose")
    .option("--property <token>", "the property that shows the number, by its token on the platform")
    .action(
      createAction(host, async (invocation, accountId: string, phoneNumber: string, options: AddOptions) => {
        const request = { accountId, phoneNumber, description: options.description, propertyToken: options.property };
        const client = invocation.client(PhoneNumberService);
        await invocation.show(phoneNumberView, await client.createPhoneNumber(request, invocation.call));
      }),
    );
  addExamples(add, [
    "calltrack numbers add acme +12223334444",
    'calltrack numbers add acme +12223334444 --description "Front desk" --property www',
  ]);
}

function addGet(numbers: Command, host: Host): void {
  const get = numbers
    .command("get")
    .description("show one phone number of an account")
    .argument("<account>", "the account's token or id")
    .argument("<id>", "the phone number's id")
    .action(
      createAction(host, async (invocation, accountId: string, phoneNumberId: string) => {
        const client = invocation.client(PhoneNumberService);
        const found = await client.getPhoneNumber({ accountId, phoneNumberId }, invocation.call);
        await invocation.show(phoneNumberView, found);
      }),
    );
  addExamples(get, ["calltrack numbers get acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43"]);
}

function addList(numbers: Command, host: Host): void {
  const list = addWatchOption(numbers.command("list"))
    .description("list the phone numbers of an account, oldest first")
    .argument("<account>", "the account's token or id")
    .option("--limit <count>", "show at most this many", parseCountOption)
    .action(
      createAction(host, async (invocation, accountId: string, { limit }: { limit?: number }) => {
        await invocation.showList(phoneNumberView, listPhoneNumbers(invocation, accountId, limit));
      }),
    );
  addExamples(list, ["calltrack numbers list acme", "calltrack numbers list acme --output ndjson"]);
}
