import type { Redirect } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { DomainError } from '@invoicecontrol/errors';
import { z } from 'zod';
import { EXAMPLE_IDS, examples } from '../../http/description/examples.js';
import { stated, uuid } from '../../http/description/fields.js';
import { publicRoute, route } from '../../http/description/route.js';
import type { Route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { confirmationPage } from './confirmation-page.js';

/** The provider is asked for tokens and for the company, ten seconds each at most. */
const CALLBACK_TIMEOUT_MS = 25_000;
const CALLBACK_PATH = '/erp-connections/oauth/callback';

export const startErpConsent = route({
  operation: 'startErpConsent',
  method: 'post',
  path: '/erp-connections/oauth/start',
  summary: 'Begin to connect QuickBooks Online or Xero',
  description:
    'Send the browser of a person who may connect apps in the ERP to `authorize_url`, within ten minutes and once. Afterwards the browser ends on the page of the ' +
    'application with `status` (`connected`, `denied`, `failed` or `conflict`) and, when connected, `connection_id`. A company that is connected already gets new access.',
  rpc: 'invoicecontrol.erp_sync.v1.OAuthService/StartOAuth',
  access: { minimumRole: 'ADMIN', scope: 'erp:write', needsSubscription: true },
  body: z
    .strictObject({
      provider: z
        .string()
        .describe(
          'PROVIDER_C or QUICKBOOKS_ONLINE, PROVIDER_D or XERO. The others are connected with credentials, by POST /erp-connections.',
        ),
      company_id: uuid()
        .describe('The company that vendors and bills belong to; the default company without it.')
        .optional(),
    })
    .meta({ id: 'ErpConsentRequest' })
    .register(examples, { example: { provider: 'PROVIDER_C', company_id: EXAMPLE_IDS.company } }),
  responses: {
    200: {
      description: 'Where to send the browser.',
      schema: z
        .object({
          authorize_url: z.string().meta({ format: 'uri' }).describe('The consent page of the ERP.'),
        })
        .meta({ id: 'ErpConsent' })
        .register(examples, {
          example: { authorize_url: 'https://appcenter.intuit.com/connect/oauth2?client_id=...&state=...' },
        }),
    },
  },
  async handle({ body, principal }, { erpOAuth }): Promise<Reply> {
    const { authorizeUrl } = await erpOAuth.startOAuth({
      provider: body.provider,
      companyId: body.company_id,
      connectionsLimit: principal.limits?.erpConnections,
    });
    return { status: 200, body: { authorize_url: authorizeUrl } };
  },
});

/** Letters, digits and signs, as providers send them; published, so that nobody makes longer ones than a URL may have. */
const parameter = () => z.string().optional().meta({ pattern: '^[!-~]*$', maxLength: 2_048 });

/** What providers send; only `state` is always there. The owner reads the query itself, each parameter once. */
const callbackQuery = z.looseObject({
  state: parameter().describe('As it was in the URL of the consent page.'),
  code: parameter().describe('Of the consent.'),
  realmId: parameter().describe('The company in QuickBooks Online.'),
  error: parameter().describe('`access_denied` when the person refused.'),
  iss: parameter().describe('The authorization server, where it says who it is.'),
});

const decision = z
  .strictObject({
    confirmation: z.string().describe('From the form.'),
    decision: z.enum(['connect', 'cancel']).describe('The button that was pressed.'),
  })
  .meta({ id: 'ErpConsentDecision' })
  .register(examples, { example: { confirmation: '5f2c...', decision: 'connect' } });

const redirected = {
  description: 'To the page of the application, with `status` and, when connected, `connection_id`.',
  headers: ['Location'],
} as const;

/** The routes of a callback: with the provider in the path, as it is registered with it, and without. */
function callbackRoutes({ suffix, name }: { readonly suffix: '' | '/:provider'; readonly name: string }): Route[] {
  const params =
    suffix === ''
      ? {}
      : {
          resourceName: 'callback',
          params: z.object({
            provider: z
              .string()
              .describe('The code of the ERP.')
              .meta({ param: { example: 'PROVIDER_C' } }),
          }),
        };
  const path = `${CALLBACK_PATH}${suffix}`;
  const providerOf = (input: { readonly params: object }): string | undefined =>
    (input.params as { provider?: string }).provider;
  return [
    publicRoute({
      operation: `receiveErpConsent${name}`,
      method: 'get',
      path,
      summary: 'Take the browser back from the consent page of an ERP',
      description:
        'Only for browsers that the ERP redirects. The signed `state` proves where the consent began, and counts once.',
      rpc: 'invoicecontrol.erp_sync.v1.OAuthService/ReceiveCallback',
      access: 'public',
      timeoutMs: CALLBACK_TIMEOUT_MS,
      ...params,
      query: callbackQuery,
      responses: {
        303: redirected,
        200: { description: 'The page on which the person confirms what is connected.', mediaTypes: ['text/html'] },
      },
      async handle({ rawQuery, isHead, ...input }, { erpOAuth }): Promise<Reply> {
        // A consent is used up by being shown; what only looks at an address must not do that.
        if (isHead) throw new DomainError('invalid', 'Open this address with GET.');
        const provider = providerOf(input);
        const { outcome } = await erpOAuth.receiveCallback({ provider, query: rawQuery });
        if (outcome?.$case === 'confirmation') return confirmationPage(outcome.value);
        return redirectTo(outcome?.value);
      },
    }),
    publicRoute({
      operation: `decideErpConsent${name}`,
      method: 'post',
      path,
      summary: 'Take the decision of the confirmation page',
      description: 'Only for the form of that page, once.',
      rpc: 'invoicecontrol.erp_sync.v1.OAuthService/DecideConfirmation',
      access: 'public',
      timeoutMs: CALLBACK_TIMEOUT_MS,
      ...params,
      isForm: true,
      body: decision,
      responses: { 303: redirected },
      async handle({ body, ...input }, { erpOAuth }): Promise<Reply> {
        const reply = await erpOAuth.decideConfirmation({ provider: providerOf(input), ...body });
        return redirectTo(reply.redirect);
      },
    }),
  ];
}

export const erpConsentCallbacks: readonly Route[] = [
  ...callbackRoutes({ suffix: '', name: '' }),
  ...callbackRoutes({ suffix: '/:provider', name: 'OfProvider' }),
];

function redirectTo(redirect: Redirect | undefined): Reply {
  return { status: 303, headers: { Location: stated(redirect).url } };
}
