import type {
  DeleteOrganizationResponse,
  Organization,
  RestoreOrganizationResponse,
} from '@invoicecontrol/contracts/organization/v1/organization_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { baseCurrency, email, LABEL_LENGTH_MAX, stated, text } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { publicRoute, route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

const referenceValidationMode = z
  .enum(['OFF', 'DECLARED_PROFILES', 'ALL'])
  .describe('Which reference documents are validated. ALL needs an active subscription.');

export const organization = shown.record<Organization>('Organization')({
  id: shown.id('organizationId', EXAMPLE_IDS.organization, 'The id of the organization.'),
  name: shown.text('name', 'Demonstration Ltd', 'What people call it.'),
  billingEmail: shown.textOrNull('billingEmail', 'billing@example.com', 'Where bills are sent.'),
  baseCurrency: shown.field(baseCurrency, 'baseCurrency', 'EUR'),
  referenceValidationMode: shown.word(referenceValidationMode, 'referenceValidationMode', 'DECLARED_PROFILES'),
  plan: shown.word(
    z.enum(['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE']).describe('What the organization has bought.'),
    'plan',
    'ENTERPRISE',
  ),
  subscriptionStatus: shown.word(
    z
      .enum(['none', 'trialing', 'active', 'past_due', 'paused', 'canceled'])
      .describe('The state of its subscription; `none` without one.'),
    'subscriptionStatus',
    'none',
  ),
  createdAt: shown.instant('createdTime', EXAMPLE_INSTANT, 'When it was created.'),
  referenceValidationInForce: shown.made(
    referenceValidationMode
      .optional()
      .describe('Only where it is another one: the mode that is followed while the subscription is not active.'),
    ({ referenceValidationInForce: mode }: Organization) =>
      mode === undefined ? undefined : shown.oneOf(referenceValidationMode, mode),
    undefined,
  ),
});

const deletedOrganization = shown.record<DeleteOrganizationResponse>('DeletedOrganization')({
  deletedAt: shown.instant('deletedTime', EXAMPLE_INSTANT, 'When it was deleted.'),
  recoveryToken: shown.text('recoveryToken', 'rec_...', 'Brings the organization back. Shown once.'),
  recoveryExpiresAt: shown.instant('recoveryExpiresTime', '2026-04-13T09:30:00.000Z', 'Until when the token works.'),
});

const restoredOrganization = shown.record<RestoreOrganizationResponse>('RestoredOrganization')({
  ...shown.within('organization', organization),
  ownerKey: shown.text(
    'ownerKey',
    'ick_live_...',
    'A new API key of role OWNER; the old keys stay revoked. Shown once.',
  ),
});

const baseCurrencyInForce = shown.record<Organization>('BaseCurrency')({
  baseCurrency: organization.fields.baseCurrency,
});

const modeInForce = shown.record<Organization>('ReferenceValidation')({
  referenceValidationMode: organization.fields.referenceValidationMode,
});

export const getOrganization = route({
  operation: 'getOrganization',
  method: 'get',
  path: '/organizations/current',
  summary: 'Read the organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/GetOrganization',
  access: { scope: 'organization:read' },
  responses: { 200: { description: 'The organization of the key.', schema: organization.schema } },
  async handle(_input, { organizations }): Promise<Reply> {
    const reply = await organizations.getOrganization({});
    return { status: 200, body: organization.present(stated(reply.organization)) };
  },
});

export const updateOrganization = route({
  operation: 'updateOrganization',
  method: 'patch',
  path: '/organizations/current',
  summary: 'Change name or billing e-mail',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateOrganization',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({
      name: text(LABEL_LENGTH_MAX).optional().describe('What people call it.'),
      billing_email: email().optional().describe('Where bills are sent.'),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'OrganizationChange', minProperties: 1 })
    .register(examples, { example: { name: 'Demonstration Ltd', billing_email: 'billing@example.com' } }),
  responses: { 200: { description: 'The organization after the change.', schema: organization.schema } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateOrganization({
      name: body.name?.trim(),
      billingEmail: body.billing_email?.trim(),
    });
    return { status: 200, body: organization.present(stated(reply.organization)) };
  },
});

export const deleteOrganization = route({
  operation: 'deleteOrganization',
  method: 'delete',
  path: '/organizations/current',
  summary: 'Delete the organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/DeleteOrganization',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  // Deleting asks billing whether a subscription is active.
  timeoutMs: 10_000,
  body: z
    .strictObject({ confirm_name: text(LABEL_LENGTH_MAX).describe('The name of the organization, exactly.') })
    .meta({ id: 'OrganizationDeletion' })
    .register(examples, { example: { confirm_name: 'Demonstration Ltd' } }),
  responses: { 200: { description: 'Deleted; every key is revoked.', schema: deletedOrganization.schema } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.deleteOrganization({ confirmName: body.confirm_name.trim() });
    return { status: 200, body: deletedOrganization.present(reply) };
  },
});

/** Every key of a deleted organization is revoked, so the recovery token in the body proves the right. */
export const restoreOrganization = publicRoute({
  operation: 'restoreOrganization',
  method: 'post',
  path: '/organizations/current/restore',
  summary: 'Bring a deleted organization back',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/RestoreOrganization',
  access: 'public',
  body: z
    .strictObject({ recovery_token: text().describe('As the deletion answered it.') })
    .meta({ id: 'OrganizationRecovery' })
    .register(examples, { example: { recovery_token: 'the token of the deletion' } }),
  responses: {
    200: { description: 'The organization, with a new key for its owner.', schema: restoredOrganization.schema },
  },
  refusals: [401, 404, 409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.restoreOrganization({ recoveryToken: body.recovery_token });
    return { status: 200, body: restoredOrganization.present(reply) };
  },
});

export const updateBaseCurrency = route({
  operation: 'updateBaseCurrency',
  method: 'patch',
  path: '/organizations/current/base-currency',
  summary: 'Set the base currency of invoices to come',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateBaseCurrency',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({ base_currency: baseCurrency })
    .meta({ id: 'BaseCurrencyChange' })
    .register(examples, { example: { base_currency: 'EUR' } }),
  responses: { 200: { description: 'The base currency after the change.', schema: baseCurrencyInForce.schema } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateBaseCurrency({ baseCurrency: body.base_currency.toUpperCase() });
    return { status: 200, body: baseCurrencyInForce.present(stated(reply.organization)) };
  },
});

export const updateReferenceValidation = route({
  operation: 'updateReferenceValidation',
  method: 'patch',
  path: '/organizations/current/reference-validation',
  summary: 'Set how reference documents are validated',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateReferenceValidation',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({ mode: referenceValidationMode })
    .meta({ id: 'ReferenceValidationChange' })
    .register(examples, { example: { mode: 'DECLARED_PROFILES' } }),
  responses: { 200: { description: 'The mode after the change.', schema: modeInForce.schema } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateReferenceValidation({ mode: body.mode });
    return { status: 200, body: modeInForce.present(stated(reply.organization)) };
  },
});
