import type {
  DeleteOrganizationResponse,
  FourEyesRequest,
  Organization,
  RestoreOrganizationResponse,
} from '@invoicecontrol/contracts/organization/v1/organization_service';
import { z } from 'zod';
import { EXAMPLE_IDS, EXAMPLE_INSTANT, examples } from '../../http/description/examples.js';
import { baseCurrency, email, LABEL_LENGTH_MAX, stated, text } from '../../http/description/fields.js';
import * as shown from '../../http/description/shown.js';
import { publicRoute, route } from '../../http/description/route.js';
import { hasAnyField, NOTHING_TO_CHANGE } from '../../http/body/validate.js';

const referenceValidationMode = z
  .enum(['OFF', 'DECLARED_PROFILES', 'ALL'])
  .describe(
    'The reference validation mode, which determines the documents that are validated against the rules of their profile. ALL requires an active subscription.',
  );

const fourEyesRequest = shown.record<FourEyesRequest>('FourEyesRequest')({
  by: shown.text(
    `USER:${EXAMPLE_IDS.assignee}`,
    'The person who requested to switch the four-eyes rule off.',
    'requestedBy',
  ),
  at: shown.instant(
    EXAMPLE_INSTANT,
    'The time of the request to switch the four-eyes rule off, which can be confirmed for 7 days.',
    'requestedTime',
  ),
  confirmed: shown.made(
    z
      .literal(false)
      .describe(
        'Whether the request to switch the four-eyes rule off is confirmed. Always false, because a confirmed request is no longer shown.',
      ),
    () => false as const,
    false,
  ),
});

export const organization = shown.record<Organization>('Organization')({
  id: shown.id(EXAMPLE_IDS.organization, 'The id of the organization.', 'organizationId'),
  name: shown.text('Demonstration Ltd', 'The name of the organization.'),
  billingEmail: shown.textOrNull(
    'billing@example.com',
    'The e-mail address to which subscription bills are sent, or null if none is set.',
  ),
  baseCurrency: shown.field(baseCurrency, 'EUR'),
  referenceValidationMode: shown.word(referenceValidationMode, 'DECLARED_PROFILES'),
  plan: shown.word(
    z
      .enum(['FREE', 'CORE', 'CONTROL', 'SCALE', 'ENTERPRISE'])
      .describe('The subscription plan of the organization, which determines its quotas and features.'),
    'ENTERPRISE',
  ),
  subscriptionStatus: shown.word(
    z
      .enum(['none', 'trialing', 'active', 'past_due', 'paused', 'canceled'])
      .describe('The status of the subscription of the organization, or `none` if there is no subscription.'),
    'none',
  ),
  createdAt: shown.instant(EXAMPLE_INSTANT, 'The time when the organization was created.', 'createdTime'),
  test: shown.flag(
    false,
    'True for a test organization, which only test keys (`ick_test_`) use. A test organization has small limits of its own and no ERP connections, KSeF connections, payments, subscription or members.',
    'isTest',
  ),
  fourEyes: shown.flag(
    true,
    'True if a second person has to confirm the payments that one person releases. A person is the member that an API key belongs to or, if the key belongs to no member, the creator of the key.',
  ),
  fourEyesRequest: shown.made(
    fourEyesRequest.schema
      .optional()
      .describe(
        'The request to switch the four-eyes rule off. Present only until another OWNER confirms the request, or the rule is switched on again.',
      ),
    ({ fourEyesRequest: request }: Organization) =>
      request === undefined ? undefined : fourEyesRequest.present(request),
    undefined,
  ),
  referenceValidationInForce: shown.made(
    referenceValidationMode
      .optional()
      .describe(
        'The reference validation mode that is applied while the subscription is not active. Present only if it differs from the chosen mode.',
      ),
    ({ referenceValidationInForce: mode }: Organization) =>
      mode === undefined ? undefined : shown.oneOf(referenceValidationMode, mode),
    undefined,
  ),
});

const deletedOrganization = shown.record<DeleteOrganizationResponse>('DeletedOrganization')({
  deletedAt: shown.instant(EXAMPLE_INSTANT, 'The time when the organization was deleted.', 'deletedTime'),
  recoveryToken: shown.text(
    'rec_...',
    'The token with which the organization can be restored. The token is shown only once.',
  ),
  recoveryExpiresAt: shown.instant(
    '2026-04-13T09:30:00.000Z',
    'The time until which the recovery token is valid.',
    'recoveryExpiresTime',
  ),
});

const restoredOrganization = shown.record<RestoreOrganizationResponse>('RestoredOrganization')({
  ...shown.within('organization', organization),
  ownerKey: shown.text(
    'ick_live_...',
    'A new API key with the role OWNER, shown only once. The old keys stay revoked.',
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
  summary: 'Read the current organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/GetOrganization',
  access: { scope: 'organization:read' },
  responses: { 200: { description: 'The organization that the API key belongs to.', schema: organization.schema } },
  async handle(_input, { organizations }) {
    const reply = await organizations.getOrganization({});
    return { status: 200, body: organization.present(stated(reply.organization)) };
  },
});

export const updateOrganization = route({
  operation: 'updateOrganization',
  method: 'patch',
  path: '/organizations/current',
  summary: 'Update the name, the billing e-mail or the four-eyes rule of the organization',
  description:
    'Changes the settings of the organization. If another active member has the role OWNER, `four_eyes: false` only requests to switch the four-eyes rule off, and the response is 202. The rule is switched off when another OWNER sends the same request within 7 days. `four_eyes: true` withdraws the request.',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateOrganization',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({
      name: text(LABEL_LENGTH_MAX).optional().describe('The name of the organization.'),
      billing_email: email().optional().describe('The e-mail address to which subscription bills are sent.'),
      four_eyes: z
        .boolean()
        .optional()
        .describe('Whether a second person has to confirm the payments that one person releases.'),
    })
    .refine(hasAnyField, NOTHING_TO_CHANGE)
    .meta({ id: 'OrganizationChange', minProperties: 1 })
    .register(examples, { example: { name: 'Demonstration Ltd', billing_email: 'billing@example.com' } }),
  responses: {
    200: { description: 'The updated organization.', schema: organization.schema },
    202: {
      description:
        'The organization with the request to switch the four-eyes rule off, which another OWNER has to confirm.',
      schema: organization.schema,
    },
  },
  refusals: [409],
  async handle({ body }, { organizations }) {
    const reply = await organizations.updateOrganization({
      name: body.name?.trim(),
      billingEmail: body.billing_email?.trim(),
      fourEyes: body.four_eyes,
    });
    const updated = organization.present(stated(reply.organization));
    const isRequested = body.four_eyes === false && updated.fourEyesRequest !== undefined;
    return { status: isRequested ? 202 : 200, body: updated };
  },
});

export const deleteOrganization = route({
  operation: 'deleteOrganization',
  method: 'delete',
  path: '/organizations/current',
  summary: 'Delete the current organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/DeleteOrganization',
  access: { minimumRole: 'OWNER', scope: 'organization:write', refusesTestKeys: true },
  // The timeout is long, because the billing service is asked for an active subscription before an organization is
  // deleted.
  timeoutMs: 10_000,
  body: z
    .strictObject({
      confirm_name: text(LABEL_LENGTH_MAX).describe(
        'The exact name of the organization, which confirms that the organization is to be deleted.',
      ),
    })
    .meta({ id: 'OrganizationDeletion' })
    .register(examples, { example: { confirm_name: 'Demonstration Ltd' } }),
  responses: {
    200: {
      description: 'The deleted organization with its recovery token. All API keys are revoked.',
      schema: deletedOrganization.schema,
    },
  },
  refusals: [409],
  async handle({ body }, { organizations }) {
    const reply = await organizations.deleteOrganization({ confirmName: body.confirm_name.trim() });
    return { status: 200, body: deletedOrganization.present(reply) };
  },
});

/**
 * Route that restores a deleted organization. All keys of the organization are revoked, so the recovery token in the
 * body authorizes the request.
 */
export const restoreOrganization = publicRoute({
  operation: 'restoreOrganization',
  method: 'post',
  path: '/organizations/current/restore',
  summary: 'Restore a deleted organization',
  description:
    'Restores the organization that the recovery token was issued for, and creates a new API key for its owner.',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/RestoreOrganization',
  access: 'public',
  body: z
    .strictObject({
      recovery_token: text().describe('The recovery token from the response to the deletion of the organization.'),
    })
    .meta({ id: 'OrganizationRecovery' })
    .register(examples, { example: { recovery_token: 'the token of the deletion' } }),
  responses: {
    200: {
      description: 'The restored organization with a new API key for its owner.',
      schema: restoredOrganization.schema,
    },
  },
  refusals: [401, 404, 409],
  async handle({ body }, { organizations }) {
    const reply = await organizations.restoreOrganization({ recoveryToken: body.recovery_token });
    return { status: 200, body: restoredOrganization.present(reply) };
  },
});

export const updateBaseCurrency = route({
  operation: 'updateBaseCurrency',
  method: 'patch',
  path: '/organizations/current/base-currency',
  summary: 'Set the base currency of the organization',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateBaseCurrency',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({ base_currency: baseCurrency })
    .meta({ id: 'BaseCurrencyChange' })
    .register(examples, { example: { base_currency: 'EUR' } }),
  responses: { 200: { description: 'The new base currency of the organization.', schema: baseCurrencyInForce.schema } },
  refusals: [409],
  async handle({ body }, { organizations }) {
    const reply = await organizations.updateBaseCurrency({ baseCurrency: body.base_currency.toUpperCase() });
    return { status: 200, body: baseCurrencyInForce.present(stated(reply.organization)) };
  },
});

export const updateReferenceValidation = route({
  operation: 'updateReferenceValidation',
  method: 'patch',
  path: '/organizations/current/reference-validation',
  summary: 'Set the reference validation mode',
  rpc: 'invoicecontrol.organization.v1.OrganizationService/UpdateReferenceValidation',
  access: { minimumRole: 'OWNER', scope: 'organization:write' },
  body: z
    .strictObject({ mode: referenceValidationMode })
    .meta({ id: 'ReferenceValidationChange' })
    .register(examples, { example: { mode: 'DECLARED_PROFILES' } }),
  responses: {
    200: { description: 'The new reference validation mode of the organization.', schema: modeInForce.schema },
  },
  refusals: [409],
  async handle({ body }, { organizations }) {
    const reply = await organizations.updateReferenceValidation({ mode: body.mode });
    return { status: 200, body: modeInForce.present(stated(reply.organization)) };
  },
});
