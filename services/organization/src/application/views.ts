import { DomainError, notFound } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { retryOnConflict } from '@invoicecontrol/runtime/mongo/aggregate';
import type { RequestContext } from '@invoicecontrol/runtime/request-context';
import { v7 as uuidv7 } from 'uuid';
import { requireRole } from '../domain/rights.js';
import type { Rights } from '../domain/rights.js';
import { readName } from '../domain/text.js';
import { addView, changeView, readQuery, removeView, viewOf } from '../domain/views.js';
import type { SavedView, ViewChange, ViewList } from '../domain/views.js';
import type { AuditAction, Change } from './change.js';
import { describeCaller } from './sessions.js';
import type { CallerDeps } from './sessions.js';

/** Stores the lists of saved views: one list of each member, and one list that an organization shares. */
export interface ViewLists {
  /** Returns the list of a member, or the shared list if `userId` is undefined. A list that is not stored is empty. */
  find(organizationId: string, userId: string | undefined): Promise<ViewList>;
  /**
   * Stores a changed list of saved views if it has not changed since its version was read.
   * @param change undefined if the change has no audit entry
   * @throws VersionConflict
   */
  save(list: ViewList, change: Change | undefined): Promise<void>;
  /** Removes the list of saved views of a member. */
  remove(organizationId: string, userId: string): Promise<void>;
}

export interface ViewDeps extends CallerDeps {
  readonly views: ViewLists;
  readonly clock: Clock;
}

/** The caller of a request about saved views. */
export interface ViewCaller {
  readonly organizationId: string;
  readonly apiKeyId: string;
  readonly rights: Rights;
}

/** A saved view with the member whom it belongs to. */
export interface OwnedView {
  readonly view: SavedView;
  /** Member that the saved view belongs to. Undefined for a view that the organization shares. */
  readonly userId: string | undefined;
}

/**
 * Lists the saved views of the member behind the API key, and then the views that the organization shares, each oldest
 * first. A key that belongs to no member has no views of its own.
 */
export const listViews =
  (deps: ViewDeps) =>
  async (caller: ViewCaller): Promise<readonly OwnedView[]> =>
    (await listsOf(deps, caller)).flatMap(({ userId, views }) => views.map((view) => ({ view, userId })));

/**
 * Reads a saved view of the calling member, or of the organization.
 * @throws DomainError not_found, also for a view of another member
 */
export const getView =
  (deps: ViewDeps) =>
  async (input: ViewCaller & { viewId: string }): Promise<OwnedView> => {
    const list = await listWith(deps, input);
    return { view: viewOf(list, input.viewId), userId: list.userId };
  };

/**
 * Saves a view of the calling member, or a view of the organization.
 * @throws DomainError forbidden for a shared view if the role of the caller is lower than ADMIN, and for an own view if
 * the API key belongs to no member; wrong_state if there are too many views
 */
export const createView =
  (deps: ViewDeps) =>
  async (
    input: ViewCaller & { name: string; query: string; isShared: boolean; isDefault: boolean },
    context: RequestContext,
  ): Promise<OwnedView> => {
    const { organizationId, isShared, isDefault } = input;
    const view: SavedView = {
      id: uuidv7(),
      name: readName('name', input.name),
      query: readQuery(input.query),
      isDefault,
      version: 1,
      createdAt: deps.clock.now(),
    };
    const userId = isShared ? undefined : await requireMember(deps, input);
    if (isShared) requireRole(input.rights, 'ADMIN');
    await retryOnConflict(async () => {
      const list = await deps.views.find(organizationId, userId);
      await save(deps, addView(list, view), { action: 'view.created', viewId: view.id, context });
    });
    return { view, userId };
  };

/**
 * Changes a saved view of the calling member, or of the organization.
 * @throws DomainError not_found, also for a view of another member; forbidden for a shared view if the role of the
 * caller is lower than ADMIN
 */
export const updateView =
  (deps: ViewDeps) =>
  (input: ViewCaller & { viewId: string } & ViewChange, context: RequestContext): Promise<OwnedView> => {
    const { viewId, isDefault } = input;
    const name = input.name === undefined ? undefined : readName('name', input.name);
    const query = input.query === undefined ? undefined : readQuery(input.query);
    return retryOnConflict(async () => {
      const list = await changeableList(deps, input);
      const changed = changeView(list, viewId, { name, query, isDefault });
      if (changed !== list) await save(deps, changed, { action: 'view.updated', viewId, context });
      return { view: viewOf(changed, viewId), userId: list.userId };
    });
  };

/**
 * Deletes a saved view of the calling member, or of the organization.
 * @throws DomainError not_found, also for a view of another member; forbidden for a shared view if the role of the
 * caller is lower than ADMIN
 */
export const deleteView =
  (deps: ViewDeps) =>
  (input: ViewCaller & { viewId: string }, context: RequestContext): Promise<void> =>
    retryOnConflict(async () => {
      const list = await changeableList(deps, input);
      await save(deps, removeView(list, input.viewId), { action: 'view.deleted', viewId: input.viewId, context });
    });

/** Returns the lists of saved views that the caller may read: the own list of a member, and the shared list. */
async function listsOf(deps: ViewDeps, { organizationId, apiKeyId }: ViewCaller): Promise<readonly ViewList[]> {
  const { member } = await describeCaller(deps)({ organizationId, apiKeyId });
  const owners = member === undefined ? [undefined] : [member.userId, undefined];
  return Promise.all(owners.map((userId) => deps.views.find(organizationId, userId)));
}

/** Returns the list of saved views with the given view, if the caller may read the list. */
async function listWith(deps: ViewDeps, input: ViewCaller & { viewId: string }): Promise<ViewList> {
  const lists = await listsOf(deps, input);
  const list = lists.find(({ views }) => views.some(({ id }) => id === input.viewId));
  if (list === undefined) throw notFound('view');
  return list;
}

/** Returns the list of saved views with the given view, if the caller may change the list. */
async function changeableList(deps: ViewDeps, input: ViewCaller & { viewId: string }): Promise<ViewList> {
  const list = await listWith(deps, input);
  if (list.userId === undefined) requireRole(input.rights, 'ADMIN');
  return list;
}

async function requireMember(deps: ViewDeps, { organizationId, apiKeyId }: ViewCaller): Promise<string> {
  const { member } = await describeCaller(deps)({ organizationId, apiKeyId });
  if (member === undefined) {
    throw new DomainError(
      'forbidden',
      'The API key belongs to no member, so it has no saved views of its own. Use an API key of a member, or share the view with `is_shared`.',
    );
  }
  return member.userId;
}

/**
 * Stores a list of saved views. Only changes of shared views are recorded in the audit trail, because the views of a
 * member concern nobody else.
 */
function save(
  { views }: ViewDeps,
  list: ViewList,
  { action, viewId, context }: { action: AuditAction; viewId: string; context: RequestContext },
): Promise<void> {
  const change = { context, audit: [{ action, target: `view:${viewId}` }] };
  return views.save(list, list.userId === undefined ? change : undefined);
}
