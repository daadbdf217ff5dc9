import type { Organization } from '@invoicecontrol/contracts/organization/v1/organization_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import {
  baseCurrency,
  email,
  LABEL_LENGTH_MAX,
  shownId,
  shownInstant,
  showInstant,
  stated,
  text,
} from '../../http/description/fields.js';
import { publicRoute, route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

const referenceValidationMode = z
  .enum(['OFF', 'DECLARED_PROFILES', 'ALL'])
  .describe('Which reference documents are validated. ALL needs an active subscription.');

const exampleOrganization = {
  id: EXAMPLE_IDS.organization,
  name: 'Demonstration Ltd',
  billingEmail: 'billing@example.com',
  baseCurrency: 'EUR',
  referenceValidationMode: 'DECLARED_PROFILES' as const,
  plan: 'ENTERPRISE' as const,
  subscriptionStatus: 'none' as const,
  createdAt: EXAMPLE_INSTANT,
};

const organization = z
  .object({
    id: shownId().describe('The id of the organization.'),
    name: z.string().describe('What people call it.'),
    billingEmail: z.string().nullable().describe('Where bills are sent.'),
    baseCurrency,
    referenceValidationMode,
    plan: z.enum(['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE']).describe('What the organization has bought.'),
    subscriptionStatus: z
      .enum(['none', 'trialing', 'active', 'past_due', 'paused', 'canceled'])
      .describe('The state of its subscription; `none` without one.'),
    createdAt: shownInstant().describe('When it was created.'),
    referenceValidationInForce: referenceValidationMode
      .optional()
      .describe('Only where it is another one: the mode that is followed while the subscription is not active.'),
  })
  .meta({ id: 'Organization' })
  .register(examples, { example: exampleOrganization });

const deletedOrganization = z
  .object({
    deletedAt: shownInstant().describe('When it was deleted.'),
    recoveryToken: z.string().describe('Brings the organization back. Shown once.'),
    recoveryExpiresAt: shownInstant().describe('Until when the token works.'),
  })
  .meta({ id: 'DeletedOrganization' })
  .register(examples, {
    example: {
      deletedAt: EXAMPLE_INSTANT,
      recoveryToken: 'rec_...',
      recoveryExpiresAt: '2026-04-13T09:30:00.000Z',
    },
  });

const restoredOrganization = organization
  .extend({
    ownerKey: z.string().describe('A new API key of role OWNER; the old keys stay revoked. Shown once.'),
  })
  .meta({ id: 'RestoredOrganization' })
  .register(examples, { example: { ...exampleOrganization, ownerKey: 'ick_live_...' } });

export const getOrganization = route({
  operation: 'getOrganization',
  method: 'get',
  path: '/organizations/current',
  summary: 'Read the organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/GetOrganization',
  access: { scope: 'organization:read' },
  responses: { 200: { description: 'The organization of the key.', schema: organization } },
  async handle(_input, { organizations }): Promise<Reply> {
    const reply = await organizations.getOrganization({});
    return { status: 200, body: presentOrganization(stated(reply.organization)) };
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
  responses: { 200: { description: 'The organization after the change.', schema: organization } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateOrganization({
      name: body.name?.trim(),
      billingEmail: body.billing_email?.trim(),
    });
    return { status: 200, body: presentOrganization(stated(reply.organization)) };
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
  responses: { 200: { description: 'Deleted; every key is revoked.', schema: deletedOrganization } },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.deleteOrganization({ confirmName: body.confirm_name.trim() });
    const deleted: z.infer<typeof deletedOrganization> = {
      deletedAt: showInstant(reply.deletedTime),
      recoveryToken: reply.recoveryToken,
      recoveryExpiresAt: showInstant(reply.recoveryExpiresTime),
    };
    return { status: 200, body: deleted };
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
  responses: { 200: { description: 'The organization, with a new key for its owner.', schema: restoredOrganization } },
  refusals: [401, 404, 409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.restoreOrganization({ recoveryToken: body.recovery_token });
    const restored: z.infer<typeof restoredOrganization> = {
      ...presentOrganization(stated(reply.organization)),
      ownerKey: reply.ownerKey,
    };
    return { status: 200, body: restored };
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
  responses: {
    200: {
      description: 'The base currency after the change.',
      schema: z
        .object({ baseCurrency })
        .meta({ id: 'BaseCurrency' })
        .register(examples, { example: { baseCurrency: 'EUR' } }),
    },
  },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateBaseCurrency({ baseCurrency: body.base_currency.toUpperCase() });
    return { status: 200, body: { baseCurrency: stated(reply.organization).baseCurrency } };
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
  responses: {
    200: {
      description: 'The mode after the change.',
      schema: z
        .object({ referenceValidationMode })
        .meta({ id: 'ReferenceValidation' })
        .register(examples, { example: { referenceValidationMode: 'DECLARED_PROFILES' } }),
    },
  },
  refusals: [409],
  async handle({ body }, { organizations }): Promise<Reply> {
    const reply = await organizations.updateReferenceValidation({ mode: body.mode });
    return { status: 200, body: { referenceValidationMode: stated(reply.organization).referenceValidationMode } };
  },
});

export function presentOrganization(message: Organization): z.infer<typeof organization> {
  return {
    id: message.organizationId,
    name: message.name,
    billingEmail: message.billingEmail ?? null,
    baseCurrency: message.baseCurrency,
    referenceValidationMode: referenceValidationMode.parse(message.referenceValidationMode),
    plan: organization.shape.plan.parse(message.plan),
    subscriptionStatus: organization.shape.subscriptionStatus.parse(message.subscriptionStatus),
    createdAt: showInstant(message.createdTime),
    ...(message.referenceValidationInForce === undefined
      ? {}
      : { referenceValidationInForce: referenceValidationMode.parse(message.referenceValidationInForce) }),
  };
}
