/**
 * Waits for calls that run at the same time, even if one of them fails, so that no call of a request outlives its
 * response. If several calls fail, the error of the first of them in the given order is thrown.
 */
export async function together<const C extends readonly unknown[]>(
  calls: C,
): Promise<{ -readonly [K in keyof C]: Awaited<C[K]> }> {
  await Promise.allSettled(calls);
  return Promise.all(calls);
}
