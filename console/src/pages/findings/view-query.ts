/** Value of `view` in the address of the list of findings if no view is chosen, so that no default view is opened. */
export const NO_VIEW = 'none';

/**
 * Divides the query of the address of the list of findings into the id of the chosen view and the filters, as a view
 * stores them.
 */
export function queryOf(search: string): { readonly view: string; readonly query: string } {
  const parameters = new URLSearchParams(search);
  const view = parameters.get('view') ?? NO_VIEW;
  parameters.delete('view');
  return { view, query: parameters.toString() };
}

/** Checks whether two queries have the same filters, in whatever order. */
export function sameFilters(one: string, other: string): boolean {
  return sorted(one) === sorted(other);
}

function sorted(query: string): string {
  const parameters = new URLSearchParams(query);
  parameters.sort();
  return parameters.toString();
}
