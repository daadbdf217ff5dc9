import { ApiError } from '@invoicecontrol/client/browser';
import type { ReactNode } from 'react';
import { NotFoundPage } from '../pages/not-found-page.js';
import { ErrorState } from './error-state.js';
import { Loading } from './loading.js';

interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** Shows what a query has read, or that it is being read, missing, or why it could not be read. */
export function Loaded<Data>({
  query: { data, error, refetch },
  children,
}: {
  readonly query: Query<Data>;
  readonly children: (data: Data) => ReactNode;
}) {
  if (error instanceof ApiError && error.status === 404) return <NotFoundPage />;
  return (
    <>
      {data === undefined && error === null && <Loading />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data !== undefined && children(data)}
    </>
  );
}
