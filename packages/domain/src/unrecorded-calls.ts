interface RecordingFlags {
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
}

/**
 * Returns a human-readable warning if the calls of a pool with `is_recorded` are not recorded: the reason, and what to do. Otherwise undefined.
 *
 * @param isPromptOff whether the call flow turns the prompt off.
 */
export function unrecordedCallsWarning(
  { isPrompted, isRecorded }: RecordingFlags,
  isPromptOff = false,
): string | undefined {
  if (!isRecorded || (isPrompted && !isPromptOff)) return undefined;
  const [reason, advice] = isPrompted
    ? ["prompt is off", "Set prompt to on to record calls"]
    : ["the pool is not prompted", "Create a pool with is_prompted to record its calls"];
  return `calls are not recorded: the prompt must announce the recording, but ${reason}. ${advice}`;
}
