import { PhoneNumberSchema, PhoneNumberService } from "@calltrack/domain/gen/calltracking/v1/phone_number_pb";
import type { CliCommand } from "../../invocation/cli-command.js";
import type { ResourceView } from "../../output/resource-view.js";
import { listPhoneNumbers } from "./list-phone-numbers.js";
import { addNumbersImportCommand } from "./numbers-import.js";

const phoneNumberView: ResourceView<typeof PhoneNumberSchema> = {
  schema: PhoneNumberSchema,
  expendable: ["account_token", "updated_at", "created_at", "property_token", "description"],
};

export function defineCommand(numbers: CliCommand): void {
  addAdd(numbers);
  addGet(numbers);
  addList(numbers);
  addNumbersImportCommand(numbers);
  numbers.subcommandExamples();
}

interface AddOptions {
  readonly description?: string;
  readonly property?: string;
}

function addAdd(numbers: CliCommand): void {
  numbers
    .command("add")
    .description("register a phone number for an account")
    .accountArgument()
    .argument("<number>", "the number in E.164 format, such as +12223334444")
    .option("--description <text>", "a note on the number's purpose")
    .option("--property <token>", "the token of the property that shows the number")
    .run(async (invocation, accountId: string, phoneNumber: string, options: AddOptions) => {
      const request = { accountId, phoneNumber, description: options.description, propertyToken: options.property };
      const client = invocation.client(PhoneNumberService);
      await invocation.show(phoneNumberView, await client.createPhoneNumber(request));
    })
    .examples(
      "calltrack numbers add acme +12223334444",
      'calltrack numbers add acme +12223334444 --description "Front desk" --property www',
    );
}

function addGet(numbers: CliCommand): void {
  numbers
    .command("get")
    .description("show one phone number of an account")
    .accountArgument()
    .argument("<id>", "the phone number's id")
    .run(async (invocation, accountId: string, phoneNumberId: string) => {
      const found = await invocation.client(PhoneNumberService).getPhoneNumber({ accountId, phoneNumberId });
      await invocation.show(phoneNumberView, found);
    })
    .examples("calltrack numbers get acme 0196f2d4-8a3c-7b1e-9f00-5c2d1e8a7b43");
}

function addList(numbers: CliCommand): void {
  numbers
    .command("list")
    .watchOption()
    .description("list the phone numbers of an account, oldest first")
    .accountArgument()
    .limitOption()
    .run(async (invocation, accountId: string, { limit }: { limit?: number }) => {
      await invocation.showList(phoneNumberView, listPhoneNumbers(invocation, accountId, limit));
    })
    .examples("calltrack numbers list acme", "calltrack numbers list acme --output ndjson");
}
