const ACCOUNTS = "/call_tracking/accounts";

/** An account without pools has no ids of pools: further accounts are tried, up to this number. */
const MAX_ACCOUNTS = 5;

/** The lists that have the values of parameters whose own path is no list, with the field of their items. */
const OTHER_LISTS = new Map([
  ["property_token", ["/dni_manager/accounts/{account_id}/pools", "property_token"]],
  ["tracking_number", ["/dni_manager/tracking_numbers", "phone_number"]],
  ["phone_number", ["/dni_manager/tracking_numbers", "phone_number"]],
]);

/** Finds values of path parameters among the resources that exist, and remembers them until `forget`. */
export class KnownIds {
  #found = new Map();

  /**
   * @param {Record<string, Record<string, unknown>>} paths of the document.
   * @param {(path: string) => Promise<object[]>} list sends a GET request for the first items; empty if it fails.
   */
  constructor(paths, list) {
    this.paths = paths;
    this.list = list;
  }

  /** Finds the values of a path's parameters. A parameter without an existing resource is left out. */
  async find(path) {
    const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
    if (names.length === 0) return new Map();
    const accounts = await this.#listOnce(ACCOUNTS);
    let best = new Map();
    for (const { account_token } of [{}, ...accounts.slice(0, MAX_ACCOUNTS)]) {
      const values = await this.#findInAccount(path, names, account_token);
      if (values.size > best.size) best = values;
      if (best.size === names.length) break;
    }
    return best;
  }

  /** Forgets what exists, because a request may have changed it. */
  forget() {
    this.#found.clear();
  }

  async #findInAccount(path, names, account) {
    const known = new Map(account === undefined ? [] : [["account_id", account]]);
    for (const name of names) {
      const value = known.get(name) ?? (await this.#findValue(path, name, known));
      if (value !== undefined) known.set(name, String(value));
    }
    return new Map([...known].filter(([name]) => names.includes(name)));
  }

  async #findValue(path, name, known) {
    const own = path.slice(0, path.indexOf(`/{${name}}`));
    const [collection, field] = this.paths[own]?.get ? [own, name] : (OTHER_LISTS.get(name) ?? []);
    if (collection === undefined) return undefined;
    let target = collection;
    for (const [each, value] of known) target = target.replace(`{${each}}`, encodeURIComponent(value));
    if (target.includes("{")) return undefined;
    const items = await this.#listOnce(target);
    return items.map((item) => (field in item ? item[field] : item.id)).find((value) => value != null);
  }

  #listOnce(target) {
    const items = this.#found.get(target) ?? this.list(target);
    this.#found.set(target, items);
    return items;
  }
}
