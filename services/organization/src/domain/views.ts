import { DomainError, invalidField, notFound } from '@invoicecontrol/errors';

/** Maximum number of saved views of one member, and of the views that an organization shares. */
export const VIEWS_PER_LIST_MAX = 50;
/** Maximum length of the query of a saved view. A query with all filters of the list of findings is shorter. */
export const QUERY_LENGTH_MAX = 2_000;
/** Pattern of the query of a saved view. In a query, all other characters are percent-encoded. */
const VISIBLE_ASCII = /^[!-~]*$/;

/** A named filter of the list of findings. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  /** Query string of the list of findings, without the question mark. */
  readonly query: string;
  readonly isDefault: boolean;
  readonly version: number;
  readonly createdAt: Date;
}

/** The saved views of one member, or those that an organization shares, oldest first. */
export interface ViewList {
  readonly organizationId: string;
  /** Member that the saved views belong to. Undefined for the views that the organization shares. */
  readonly userId: string | undefined;
  /** Version of the stored list of saved views. 0 if no list is stored yet. */
  readonly version: number;
  readonly views: readonly SavedView[];
}

/** Fields of a saved view that a request changes. Fields that are undefined are not changed. */
export interface ViewChange {
  readonly name?: string | undefined;
  readonly query?: string | undefined;
  readonly isDefault?: boolean | undefined;
}

/**
 * Adds a saved view to a list.
 * @throws DomainError wrong_state if the list is full
 */
export function addView(list: ViewList, view: SavedView): ViewList {
  if (list.views.length >= VIEWS_PER_LIST_MAX) {
    const [owner, wording] =
      list.userId === undefined ? ['an organization', 'shared views'] : ['a member', 'saved views'];
    throw new DomainError(
      'wrong_state',
      `The limit of ${VIEWS_PER_LIST_MAX} ${wording} of ${owner} is reached. Delete one of the views first.`,
    );
  }
  return withOneDefault({ ...list, views: [...list.views, view] }, view);
}

/**
 * Changes a saved view. If it becomes the default, the earlier default of the list is no default any more.
 * @throws DomainError not_found
 */
export function changeView(list: ViewList, viewId: string, { name, query, isDefault }: ViewChange): ViewList {
  const view = viewOf(list, viewId);
  const state = { name: name ?? view.name, query: query ?? view.query, isDefault: isDefault ?? view.isDefault };
  const isChanged = state.name !== view.name || state.query !== view.query || state.isDefault !== view.isDefault;
  if (!isChanged) return list;
  const changed = { ...view, ...state, version: view.version + 1 };
  return withOneDefault({ ...list, views: list.views.map((one) => (one.id === viewId ? changed : one)) }, changed);
}

/** Removes a saved view from a list. A view that the list does not contain changes nothing. */
export function removeView(list: ViewList, viewId: string): ViewList {
  return { ...list, views: list.views.filter(({ id }) => id !== viewId) };
}

/**
 * Returns a saved view of a list.
 * @throws DomainError not_found
 */
export function viewOf({ views }: ViewList, viewId: string): SavedView {
  const view = views.find(({ id }) => id === viewId);
  if (view === undefined) throw notFound('view');
  return view;
}

function withOneDefault(list: ViewList, chosen: SavedView): ViewList {
  if (!chosen.isDefault) return list;
  const views = list.views.map((view) =>
    view.isDefault && view.id !== chosen.id ? { ...view, isDefault: false, version: view.version + 1 } : view,
  );
  return { ...list, views };
}

/**
 * Reads the query of a saved view from a request. The query is stored as sent, because only the app interprets it.
 * @throws DomainError invalid
 */
export function readQuery(query: string): string {
  if (query.length > QUERY_LENGTH_MAX) throw invalidField('query', `must have at most ${QUERY_LENGTH_MAX} characters.`);
  if (!VISIBLE_ASCII.test(query)) {
    throw invalidField(
      'query',
      'must be a query without spaces, in which other characters than ASCII are percent-encoded.',
    );
  }
  return query;
}
