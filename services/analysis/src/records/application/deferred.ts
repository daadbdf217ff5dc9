/** Creates a promise that other code resolves or rejects. Node.js 20 has no Promise.withResolvers. */
export interface Deferred {
  readonly promise: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

export function deferred(): Deferred {
  let settle: Omit<Deferred, 'promise'> | undefined;
  const promise = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  promise.catch(() => {});
  return { promise, resolve: () => settle?.resolve(), reject: (error) => settle?.reject(error) };
}
