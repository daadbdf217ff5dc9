import { ApiError } from '@invoicecontrol/client/browser';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { client, signOut } from './client.js';
import type { Caller } from './client.js';

const CALLER = ['me'];

/** Reads who is signed in to the console: null if nobody is. */
export function useSignedIn() {
  return useQuery({
    queryKey: CALLER,
    async queryFn({ signal }): Promise<Caller | null> {
      try {
        return (await client.get('/me', { signal })).data;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }
    },
    staleTime: 5 * 60_000,
  });
}

/** Returns a function that reads again who is signed in, after a sign-in. */
export function useRefreshCaller(): () => Promise<Caller | null> {
  const queries = useQueryClient();
  return async () => {
    await queries.refetchQueries({ queryKey: CALLER });
    return queries.getQueryData<Caller | null>(CALLER) ?? null;
  };
}

/** Returns a function that ends the session of the console and forgets everything that was read. */
export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    try {
      await signOut();
    } catch (error) {
      // A session of the console that is refused has ended already.
      if (!(error instanceof ApiError && (error.status === 401 || error.status === 404))) throw error;
    }
    // The pages are left first, because a page does not learn that what it shows was removed.
    queries.setQueryData(CALLER, null);
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== CALLER[0] });
    queries.getMutationCache().clear();
  };
}

export const CallerContext = createContext<Caller | undefined>(undefined);

/** Returns the signed-in person, on pages that are shown only to one. */
export function useCaller(): Caller {
  const caller = useContext(CallerContext);
  if (caller === undefined) throw new TypeError('This page is shown only to a signed-in person.');
  return caller;
}
