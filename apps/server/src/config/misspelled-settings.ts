import leven from "leven";

/** An environment variable whose name is probably the misspelled name of a setting. */
export interface MisspelledSetting {
  readonly variable: string;
  readonly setting: string;
  /** Whether the name of the setting is so long that the similarity cannot be a coincidence. */
  readonly isCertain: boolean;
}

/** Matches the names of environment variables that Kubernetes sets for each service. */
const OF_SERVICES = /_SERVICE_HOST$|_SERVICE_PORT(?:_|$)|_PORT$|_PORT_\d+_(?:TCP|UDP)/;

/** Matches the value of a variable that Kubernetes sets for a service, such as `tcp://10.96.0.1:9464`. */
const SERVICE_URL = /^(?:tcp|udp|sctp):\/\//;

/** Whether Kubernetes sets a variable with this name and value, such as `OPS_PORT` for a service named `ops`. */
export function isKubernetesVariable(variable: string, value: string): boolean {
  return OF_SERVICES.test(variable) && SERVICE_URL.test(value);
}

/** In names of at least this length, up to two wrong characters are detected. In shorter names, only one is. */
const LONG_NAME = 8;

/**
 * Finds environment variables whose names differ from the name of a setting by one or two characters, or only in case. Otherwise, the
 * server would silently ignore these variables.
 *
 * @param settings the names of the current settings. The name of a former setting is no correction: TIMEZONE, for example, is similar to TIMELINE.
 */
export function findMisspelledSettings(
  variables: readonly string[],
  settings: readonly string[],
): readonly MisspelledSetting[] {
  const known = new Set(settings);
  return variables
    .filter((variable) => !known.has(variable) && !OF_SERVICES.test(variable) && !variable.startsWith("OTEL_"))
    .flatMap((variable) => {
      const setting = settings.find((name) => isNear(variable.toUpperCase(), name));
      return setting === undefined ? [] : [{ variable, setting, isCertain: setting.length >= LONG_NAME }];
    });
}

function isNear(variable: string, setting: string): boolean {
  const maxErrors = setting.length >= LONG_NAME ? 2 : 1;
  return leven(variable, setting, { maxDistance: maxErrors + 1 }) <= maxErrors;
}
