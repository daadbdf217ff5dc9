import type { Principal, UsageLimits } from '@invoicecontrol/contracts/organization/v1/access_service';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { examples } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';

/** Usage meters in the order of the response, each with the limit of the plan. */
const meters = [
  ['analyses', 'analysesPerMonth'],
  ['scan_rows', 'scanRowsPerMonth'],
  ['payment_lines', 'paymentLinesPerMonth'],
  ['upload_bytes', 'uploadBytesPerMonth'],
  ['companies', 'companies'],
  ['members', 'members'],
  ['webhooks', 'webhooks'],
  ['erp_connections', 'erpConnections'],
] as const satisfies readonly (readonly [string, keyof UsageLimits])[];

export const usage = z
  .object({
    period: z.string().meta({
      pattern: '^[0-9]{4}-[0-9]{2}$',
      description: 'The calendar month (UTC) for which the usage is counted.',
    }),
    items: z
      .array(
        z.object({
          meter: z
            .string()
            .describe(`The name of the meter: ${meters.map(([meter]) => meter).join(', ')}. More meters may be added.`),
          used: z
            .int()
            .min(0)
            .describe(
              'The number of quota units used in the month. For companies, members, webhooks and ERP connections, this is the current number.',
            ),
          limit: z
            .int()
            .nullable()
            .describe('The maximum usage of the meter that the plan allows, or null if there is no limit.'),
        }),
      )
      .describe('The usage and limit of each quota of the plan, such as analyses or members.'),
  })
  .meta({ id: 'Usage', description: 'The usage of the organization compared with the limits of its plan.' })
  .register(examples, {
    example: {
      period: '2026-03',
      items: [
        { meter: 'analyses', used: 13, limit: 25 },
        { meter: 'scan_rows', used: 480, limit: 500 },
        { meter: 'payment_lines', used: 8, limit: 500 },
        { meter: 'upload_bytes', used: 48_213, limit: 104_857_600 },
        { meter: 'companies', used: 1, limit: 1 },
        { meter: 'members', used: 2, limit: 3 },
        { meter: 'webhooks', used: 0, limit: 0 },
        { meter: 'erp_connections', used: 0, limit: 0 },
      ],
    },
  });

export const getUsage = route({
  operation: 'getUsage',
  method: 'get',
  path: '/organizations/current/usage',
  summary: 'Read the usage and limits of the organization',
  rpc: 'invoicecontrol.usage.v1.UsageService/GetUsage',
  access: { scope: 'organization:read' },
  responses: { 200: { description: 'The usage and the limit of each quota of the plan.', schema: usage } },
  handle: async ({ principal }, clients): Promise<Reply> => ({
    status: 200,
    body: await readUsage(principal, clients),
  }),
});

/** Reads the usage from every service, together with the organization's limits. */
export async function readUsage(
  { limits }: Pick<Principal, 'limits'>,
  { analysisUsage, documentUsage, erpUsage, organizationUsage, scanUsage, webhookUsage }: TenantClients,
): Promise<z.infer<typeof usage>> {
  const replies = await Promise.all(
    [analysisUsage, scanUsage, documentUsage, organizationUsage, webhookUsage, erpUsage].map((service) =>
      service.getUsage({}),
    ),
  );
  const used = new Map(replies.flatMap((reply) => reply.meters.map((counted) => [counted.meter, counted.used])));
  return {
    period: stated(replies[0]).period,
    items: meters.map(([meter, limit]) => ({
      meter,
      used: stated(used.get(meter)),
      limit: limits?.[limit] ?? null,
    })),
  };
}
