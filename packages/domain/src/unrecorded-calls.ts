interface RecordingFlags {
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
}

/**
 * Returns a human-readable warning if calls to a pool with `is_recorded` are not recorded: the reason and a remedy. Returns undefined otherwise.
 *
 * @param isPromptOff whether the call flow turns the prompt off.
 */
export function findUnrecordedCallsWarning(
  { isPrompted, isRecorded }: RecordingFlags,
  isPromptOff = false,
): string | undefined {
  if (!isRecorded || (isPrompted && !isPromptOff)) return undefined;
  const [reason, advice] = isPrompted
    ? ["the setting prompt is off", "Set prompt to on to record calls"]
    : ["is_prompted of the pool is false", "Create a pool with is_prompted to record its calls"];
  return `calls are not recorded: the prompt must announce the recording, but ${reason}. ${advice}`;
}
