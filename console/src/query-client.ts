import { ApiError } from '@invoicecontrol/client/browser';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** Time for which the console shows data that it read from the API without requesting the data again. */
const FRESH_MS = 10_000;

/**
 * Creates the cache of the data that the console reads from the API. Queries do not retry failed requests, because the
 * API client already retries them.
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
