import { ApiError } from '@invoicecontrol/client/browser';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** Time for which what was read from the API is shown without another request. */
const FRESH_MS = 10_000;

/**
 * Creates the cache of what was read from the API. The client repeats failed requests itself, so a query does not.
 * @param onSignedOut called when the API refuses the session
 */
export function createQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry: false, staleTime: FRESH_MS } },
  });
}
