import type { View } from '@invoicecontrol/contracts/organization/v1/view_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { LABEL_LENGTH_MAX, pathId, stated, text } from '../../http/description/fields.js';
import { onlyPage, pageOf } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

/** Maximum length of the query of a saved view that the organization service accepts. */
const QUERY_LENGTH_MAX = 2_000;
/** Pattern of the query of a saved view. In a query, all other characters are percent-encoded. */
const VISIBLE_ASCII = /^[!-~]*$/;

const view = shown.record<View>('SavedView')({
  id: shown.id(EXAMPLE_IDS.view, 'The id of the saved view.', 'viewId'),
  name: shown.text('Critical findings', 'The name of the saved view.'),
  query: shown.text(
    'severity=CRITICAL&sort=amount_at_risk',
    'The filters of the saved view, as the query of the list of findings in the app.',
  ),
  isShared: shown.made(
    z
      .boolean()
      .describe('Whether the whole organization has the saved view. Otherwise only the member who saved it has it.'),
    ({ ownerUserId }: View) => ownerUserId === undefined,
    true,
  ),
  ownerUserId: shown.idOrNull(
    null,
    'The id of the member to whom the saved view belongs, or null if the view is shared.',
  ),
  isDefault: shown.flag(
    false,
    'Whether the app opens the list of findings with this view. The default view of a member takes precedence over the shared default view.',
  ),
  version: shown.field(z.int().min(1).describe('The version of the saved view, which increases with each change.'), 1),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the view was saved.', 'createdTime'),
});

const fields = {
  name: text(LABEL_LENGTH_MAX).describe('The name of the saved view.'),
  query: z
    .string()
    .refine((value) => value.length <= QUERY_LENGTH_MAX, `Must have at most ${QUERY_LENGTH_MAX} characters.`)
    .refine(
      (value) => VISIBLE_ASCII.test(value),
      'Must be a query without spaces, in which other characters than ASCII are percent-encoded.',
    )
    .meta({
      maxLength: QUERY_LENGTH_MAX,
      pattern: VISIBLE_ASCII.source,
      description:
        'The filters of the saved view, as the query of the list of findings in the app, without the question mark. An empty string means no filters.',
    }),
  is_default: z
    .boolean()
    .optional()
    .describe(
      'Whether the app opens the list of findings with this view. A new default view replaces the earlier default view of the member, or the earlier shared default view.',
    ),
};

const viewParams = z.object({ viewId: pathId('view', 'view', 'saved view') });

export const listViews = route({
  operation: 'listViews',
  method: 'get',
  path: '/views',
  summary: 'List saved views of the list of findings',
  description:
    'Returns the saved views of the member behind the API key, and then the shared views of the organization, each oldest first. An API key that belongs to no member has only the shared views.',
  rpc: 'invoicecontrol.organization.v1.ViewService/ListViews',
  access: { scope: 'findings:read' },
  responses: {
    200: {
      description: 'All saved views that the caller has.',
      schema: pageOf('saved views', view.schema),
    },
  },
  async handle(_, { views }) {
    const reply = await views.listViews({});
    return { status: 200, body: onlyPage(reply.views.map(view.present)) };
  },
});

export const createView = route({
  operation: 'createView',
  method: 'post',
  path: '/views',
  summary: 'Create a saved view',
  description:
    'Saves filters of the list of findings under a name, for the member behind the API key or, if `is_shared` is true, for the whole organization. Sharing a view requires the role ADMIN or higher. A member has at most 50 views, and an organization at most 50 shared views. A repeated request creates a second view.',
  rpc: 'invoicecontrol.organization.v1.ViewService/CreateView',
  access: { scope: 'findings:read' },
  body: z
    .strictObject({
      ...fields,
      is_shared: z
        .boolean()
        .optional()
        .describe(
          'Whether the whole organization gets the saved view. A later request cannot change this. If absent, only the member behind the API key gets the view.',
        ),
    })
    .meta({ id: 'SavedViewCreation' })
    .register(examples, {
      example: { name: 'Critical findings', query: 'severity=CRITICAL&sort=amount_at_risk', is_shared: true },
    }),
  responses: { 201: { description: 'The new saved view.', schema: view.schema, headers: ['Location'] } },
  refusals: [409],
  async handle({ body }, { views }) {
    const reply = await views.createView({
      name: body.name.trim(),
      query: body.query,
      isShared: body.is_shared ?? false,
      isDefault: body.is_default ?? false,
    });
    const created = view.present(stated(reply.view));
    return { status: 201, body: created, headers: { Location: `/v1/views/${created.id}` } };
  },
});

export const getView = route({
  operation: 'getView',
  method: 'get',
  path: '/views/:viewId',
  summary: 'Read a saved view',
  rpc: 'invoicecontrol.organization.v1.ViewService/GetView',
  access: { scope: 'findings:read' },
  params: viewParams,
  responses: { 200: { description: 'The saved view that was requested.', schema: view.schema } },
  async handle({ params }, { views }) {
    const reply = await views.getView({ viewId: params.viewId });
    return { status: 200, body: view.present(stated(reply.view)) };
  },
});

export const updateView = route({
  operation: 'updateView',
  method: 'patch',
  path: '/views/:viewId',
  summary: 'Update a saved view',
  description: 'Changes the stated fields. Changing a shared view requires the role ADMIN or higher.',
  rpc: 'invoicecontrol.organization.v1.ViewService/UpdateView',
  access: { scope: 'findings:read' },
  params: viewParams,
  body: z
    .strictObject({ name: fields.name.optional(), query: fields.query.optional(), is_default: fields.is_default })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'SavedViewChange', minProperties: 1 })
    .register(examples, { example: { is_default: true } }),
  responses: { 200: { description: 'The updated saved view.', schema: view.schema } },
  refusals: [409],
  async handle({ params, body }, { views }) {
    const reply = await views.updateView({
      viewId: params.viewId,
      name: body.name?.trim(),
      query: body.query,
      isDefault: body.is_default,
    });
    return { status: 200, body: view.present(stated(reply.view)) };
  },
});

export const deleteView = route({
  operation: 'deleteView',
  method: 'delete',
  path: '/views/:viewId',
  summary: 'Delete a saved view',
  description: 'Deletes the view. Deleting a shared view requires the role ADMIN or higher.',
  rpc: 'invoicecontrol.organization.v1.ViewService/DeleteView',
  access: { scope: 'findings:read' },
  params: viewParams,
  responses: { 204: { description: 'The saved view has been deleted.' } },
  async handle({ params }, { views }) {
    await views.deleteView({ viewId: params.viewId });
    return { status: 204 };
  },
});
