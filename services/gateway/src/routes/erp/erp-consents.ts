import type { Redirect } from '@invoicecontrol/contracts/erp_sync/v1/oauth_service';
import { DomainError } from '@invoicecontrol/errors';
import { z } from 'zod';
import { EXAMPLE_IDS, examples } from '../../http/description/examples.js';
import { stated, uuid } from '../../http/description/fields.js';
import { publicRoute, route } from '../../http/description/route.js';
import type { Route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { confirmationPage } from './confirmation-page.js';

/**
 * Timeout for an OAuth callback, during which the provider is called for tokens and for the company, at most ten
 * seconds each.
 */
const CALLBACK_TIMEOUT_MS = 25_000;
const CALLBACK_PATH = '/erp-connections/oauth/callback';

export const startErpConsent = route({
  operation: 'startErpConsent',
  method: 'post',
  path: '/erp-connections/oauth/start',
  summary: 'Start connecting QuickBooks Online or Xero',
  description:
    'Returns the URL to which you send the browser of a user who may connect apps in the ERP, once and within ten minutes. The browser is then redirected to the page of the application with `status` (`connected`, `denied`, `failed` or `conflict`) and, if connected, `connection_id`. For a company that is already connected, the consent renews the access.',
  rpc: 'invoicecontrol.erp_sync.v1.OAuthService/StartOAuth',
  access: { minimumRole: 'ADMIN', scope: 'erp:write', needsSubscription: true, refusesTestKeys: true },
  body: z
    .strictObject({
      provider: z
        .string()
        .describe(
          'The ERP to connect by consent: QUICKBOOKS_ONLINE (or its code PROVIDER_C) or XERO (or its code PROVIDER_D). POST /v1/erp-connections connects other ERPs with credentials.',
        ),
      company_id: uuid()
        .describe(
          'The id of the company that the imported vendors and bills belong to. If absent, the default company is used.',
        )
        .optional(),
    })
    .meta({ id: 'ErpConsentRequest' })
    .register(examples, { example: { provider: 'PROVIDER_C', company_id: EXAMPLE_IDS.company } }),
  responses: {
    200: {
      description: 'The consent page to which the browser is sent.',
      schema: z
        .object({
          authorize_url: z.string().meta({ format: 'uri' }).describe('The URL of the consent page of the ERP.'),
        })
        .meta({ id: 'ErpConsent' })
        .register(examples, {
          example: { authorize_url: 'https://appcenter.intuit.com/connect/oauth2?client_id=...&state=...' },
        }),
    },
  },
  async handle({ body }, { erpOAuth }) {
    const { authorizeUrl } = await erpOAuth.startOAuth({
      provider: body.provider,
      companyId: body.company_id,
    });
    return { status: 200, body: { authorize_url: authorizeUrl } };
  },
});

/**
 * Schema for visible ASCII characters, as ERP providers send them in a callback. The maximum length is published,
 * because a URL cannot be longer.
 */
const parameter = () => z.string().optional().meta({ pattern: '^[!-~]*$', maxLength: 2_048 });

/**
 * Query parameters that ERP providers send in an OAuth callback. Only `state` is always present. The erp-sync service
 * gets the unparsed query and checks that no parameter is repeated.
 */
const callbackQuery = z.looseObject({
  state: parameter().describe('The OAuth state parameter, unchanged from the URL of the consent page.'),
  code: parameter().describe('The authorization code that the ERP issued for the consent.'),
  realmId: parameter().describe('The id of the company in QuickBooks Online.'),
  error: parameter().describe(
    'The error that the ERP reports instead of a consent: `access_denied` if the user refused the consent.',
  ),
  iss: parameter().describe('The identifier of the authorization server, if the server sends one.'),
});

const decision = z
  .strictObject({
    confirmation: z
      .string()
      .describe('The confirmation value from the form on which the user confirms the ERP connection.'),
    decision: z
      .enum(['connect', 'cancel'])
      .describe('The button that the user pressed on the confirmation page of the ERP connection: connect or cancel.'),
  })
  .meta({ id: 'ErpConsentDecision' })
  .register(examples, { example: { confirmation: '5f2c...', decision: 'connect' } });

const redirected = {
  description:
    'Redirects the browser to the return page of your application (`ERP_OAUTH_RETURN_URL`), with the query parameter `status` and, if the connection was made, `connection_id`.',
  headers: ['Location'],
} as const;

/**
 * Returns the routes of an OAuth callback, with or without the provider in the path, as registered with the provider.
 */
function callbackRoutes({ suffix, name }: { readonly suffix: '' | '/:provider'; readonly name: string }): Route[] {
  const params =
    suffix === ''
      ? {}
      : {
          resourceName: 'callback',
          params: z.object({
            provider: z
              .string()
              .describe('The code of the ERP provider.')
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
      summary: 'Receive the redirect from the consent page of an ERP',
      description:
        'Completes the consent to connect an ERP. Accepts only browsers that the ERP redirects. The signed `state` proves where the consent started and can be used only once.',
      rpc: 'invoicecontrol.erp_sync.v1.OAuthService/ReceiveCallback',
      access: 'public',
      timeoutMs: CALLBACK_TIMEOUT_MS,
      ...params,
      query: callbackQuery,
      responses: {
        303: redirected,
        200: { description: 'The HTML page on which the user confirms the ERP connection.', mediaTypes: ['text/html'] },
      },
      async handle({ rawQuery, isHead, ...input }, { erpOAuth }) {
        // The result of an OAuth consent is shown only once, so a HEAD request, by which programs check a URL, must not
        // use it up.
        if (isHead)
          throw new DomainError(
            'invalid',
            'The URL to which the ERP redirects the browser must be opened with GET, not with HEAD.',
          );
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
      summary: 'Submit the decision from the confirmation page of an ERP connection',
      description:
        'Confirms or cancels the connection of an ERP. Accepts only the form of the confirmation page, and only once.',
      rpc: 'invoicecontrol.erp_sync.v1.OAuthService/DecideConfirmation',
      access: 'public',
      timeoutMs: CALLBACK_TIMEOUT_MS,
      ...params,
      isForm: true,
      body: decision,
      responses: { 303: redirected },
      async handle({ body, ...input }, { erpOAuth }) {
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
