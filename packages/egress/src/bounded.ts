/** Error of an HTTP call that did not finish before its deadline. */
export class CallTimeout extends Error {
  constructor(deadlineMs: number) {
    super(`The response was not complete within ${deadlineMs} ms.`);
    this.name = 'CallTimeout';
  }
}

/**
 * Returns the result of an outgoing HTTP call, unless the deadline passes or the signal is aborted first. The call and
 * the deadline are raced, because a signal interrupts neither connecting nor the TLS handshake.
 * @param begin starts the call with the given signal, which is aborted at the deadline
 * @param discard receives the result of a call that ends after the deadline
 * @throws CallTimeout, the reason of the signal, or the error of the call
 */
export async function bounded<T>(
  { deadlineMs, signal }: { readonly deadlineMs: number; readonly signal?: AbortSignal | undefined },
  begin: (signal: AbortSignal) => Promise<T>,
  discard: (late: T) => void = () => {},
): Promise<T> {
  signal?.throwIfAborted();
  const ending = new AbortController();
  let onAbort = (): void => {};
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new CallTimeout(deadlineMs)), deadlineMs);
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the caller gave this reason for ending the call
    onAbort = () => reject(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  const working = begin(ending.signal);
  try {
    return await Promise.race([working, ended]);
  } catch (error) {
    ending.abort();
    // The HTTP call may still fail after its deadline. The empty catch avoids an unhandled rejection in this case.
    working.then(discard).catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
