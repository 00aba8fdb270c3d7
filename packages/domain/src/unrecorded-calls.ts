/** The flags of a pool that determine whether its calls are recorded. */
interface RecordingFlags {
  readonly isPrompted: boolean;
  readonly isRecorded: boolean;
}

/**
 * Says why the calls of a pool with `is_recorded` are not recorded, and what to do, for people. Undefined if they are recorded, or if
 * the pool does not ask for it.
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
  return `calls are not recorded: the notice of the recording is part of the prompt, and ${reason}. ${advice}`;
}
