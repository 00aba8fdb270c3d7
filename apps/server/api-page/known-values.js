/** Keys with values that the server assigns. */
const ASSIGNED = ["id", "started_at"];

/** The key of the tab's storage. */
const STORED = "calltrack-example-values";

/**
 * The values that the server assigned to the objects of the examples, by their values in the examples. Contains only objects that this page
 * created or listed within the example account, so that no example affects other objects. Stored for the tab.
 */
export class KnownValues {
  #account;
  #known;

  constructor() {
    const { account, known } = readStored();
    this.#account = account;
    this.#known = new Map(known);
  }

  /** Replaces the values of examples in a path, a query or a body. */
  replaceIn(text) {
    return Array.from(this.#known).reduce((result, [example, value]) => result.replaceAll(example, value), text);
  }

  /** Deletes the values if the example account differs from the earlier one, or no longer exists: then the database is a new one. */
  belongTo(account) {
    const found = account && `${account.id} ${account.created_at}`;
    if (this.#account !== undefined && this.#account !== found) this.#known.clear();
    this.#account = found;
    this.#store();
  }

  /** Stores the values of the objects in a response, by their values in the example of that response. */
  learn(example, actual) {
    this.#collect(example, actual);
    this.#store();
  }

  #collect(example, actual) {
    if (Array.isArray(example)) this.#collect(example[0], actual?.[0]);
    else if (typeof example === "object" && example !== null && actual) {
      for (const [key, value] of Object.entries(example)) {
        if (!ASSIGNED.includes(key)) this.#collect(value, actual[key]);
        else if (actual[key] !== undefined) this.#known.set(String(value), String(actual[key]));
      }
    }
  }

  #store() {
    try {
      sessionStorage.setItem(STORED, JSON.stringify({ account: this.#account, known: [...this.#known] }));
    } catch {
      // Without storage, the values last until the page is closed.
    }
  }
}

function readStored() {
  try {
    return JSON.parse(sessionStorage.getItem(STORED)) ?? {};
  } catch {
    return {};
  }
}
