import leven from "leven";

/** A variable that is probably meant for a setting. */
export interface Misspelled {
  readonly variable: string;
  readonly setting: string;
  /** Whether the setting's name is long enough for the likeness to be no accident. */
  readonly isCertain: boolean;
}

/** Variables that Kubernetes sets for each service, such as a service named `ops`. */
const OF_SERVICES = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT$|_PORT_\d+_(?:TCP|UDP)/;

/** The value of a variable that Kubernetes sets for a service, such as `tcp://10.96.0.1:9464`. */
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;

/** Whether Kubernetes sets a variable with this name and value: a service named `ops` has a variable `OPS_PORT`. */
export function isOfService(variable: string, value: string): boolean {
  return OF_SERVICES.test(variable) && SERVICE_URL.test(value);
}

/** A name of this length, or a longer one, is misspelled if it differs by two letters; a shorter one by one. */
const LONG_NAME = 8;

/**
 * Finds variables that are no settings, but whose names differ from one by one or two letters, or by their case: their
 * effect would be missing without a word.
 */
export function findMisspelled(variables: readonly string[], settings: readonly string[]): readonly Misspelled[] {
  const known = new Set(settings);
  return variables
    .filter((variable) => !known.has(variable) && !OF_SERVICES.test(variable) && !variable.startsWith("OTEL_"))
    .flatMap((variable) => {
      const setting = settings.find((name) => isNear(variable.toUpperCase(), name));
      return setting === undefined ? [] : [{ variable, setting, isCertain: setting.length >= LONG_NAME }];
    });
}

function isNear(variable: string, setting: string): boolean {
  const most = setting.length >= LONG_NAME ? 2 : 1;
  return leven(variable, setting, { maxDistance: most + 1 }) <= most;
}
