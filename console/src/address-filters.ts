import { useSearchParams } from 'wouter';

/** Filters of a list by their names in the address of the page. */
export type AddressFilters = readonly [read: (name: string) => string, change: (name: string, value: string) => void];

/**
 * Reads and changes the filters of a list, which are in the address of the page, so that the same list can be opened
 * again and sent to a colleague. A filter that is not set is an empty text.
 */
export function useAddressFilters(): AddressFilters {
  const [search, setSearch] = useSearchParams();
  const change = (name: string, value: string): void => {
    setSearch(
      (before) => {
        const changed = new URLSearchParams(before);
        if (value === '') changed.delete(name);
        else changed.set(name, value);
        return changed;
      },
      { replace: true },
    );
  };
  return [(name) => search.get(name) ?? '', change];
}
