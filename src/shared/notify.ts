/** Calls an observer, and keeps its failures away from the caller: a full disk under a log must not fail a payment. */
export async function notify<Event>(
  observer: ((event: Event) => unknown) | undefined,
  event: Event,
): Promise<void> {
  try {
    await observer?.(event);
  } catch {
    // An observer that throws or rejects changes nothing.
  }
}
