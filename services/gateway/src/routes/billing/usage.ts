import type { MeterUsage } from '@invoicecontrol/contracts/usage/v1/usage_service';
import type { Principal, UsageLimits } from '@invoicecontrol/contracts/organization/v1/access_service';
import { z } from 'zod';
import type { TenantClients } from '../../clients.js';
import { examples } from '../../http/description/examples.js';
import { stated } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { together } from '../together.js';

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

const MONTH = /^[0-9]{4}-(?:0[1-9]|1[0-2])$/;
const HISTORY_MONTHS_MAX = 24;
const HISTORY_MONTHS_DEFAULT = 12;
const MONTHS = /^(?:[1-9]|1[0-9]|2[0-4])$/;

export const getUsage = route({
  operation: 'getUsage',
  method: 'get',
  path: '/organizations/current/usage',
  summary: 'Read the usage and limits of the organization',
  rpc: 'invoicecontrol.usage.v1.UsageService/GetUsage',
  access: { scope: 'organization:read' },
  query: z.strictObject({
    period: z
      .string()
      .refine((value) => MONTH.test(value), 'Must be a month such as 2026-03.')
      .meta({
        pattern: MONTH.source,
        description:
          'The calendar month (UTC) for which the usage is returned, by default the current month. A past month has only the meters that are counted by month.',
      })
      .optional(),
  }),
  responses: { 200: { description: 'The usage and the limit of each quota of the plan.', schema: usage } },
  handle: async ({ principal, query }, clients): Promise<Reply> => ({
    status: 200,
    body: await readUsage(principal, clients, query.period),
  }),
});

const usageHistory = z
  .object({
    items: z
      .array(usage)
      .max(HISTORY_MONTHS_MAX)
      .describe('The usage in each month, newest first, with the meters that are counted by month.'),
  })
  .meta({ id: 'UsageHistory' })
  .register(examples, {
    example: {
      items: [
        {
          period: '2026-03',
          items: [
            { meter: 'analyses', used: 13, limit: 25 },
            { meter: 'scan_rows', used: 480, limit: 500 },
            { meter: 'payment_lines', used: 8, limit: 500 },
            { meter: 'upload_bytes', used: 48_213, limit: 104_857_600 },
          ],
        },
      ],
    },
  });

export const listUsageHistory = route({
  operation: 'listUsageHistory',
  method: 'get',
  path: '/organizations/current/usage/history',
  summary: 'List the usage of the organization by month',
  description:
    'Returns the usage in the current month and in the months before it. The limits are those of the current plan, because earlier plans are not stored.',
  rpc: 'invoicecontrol.usage.v1.UsageService/ListUsageHistory',
  access: { scope: 'organization:read' },
  query: z.strictObject({
    months: z
      .string()
      .refine((value) => MONTHS.test(value), `Must be a whole number from 1 to ${HISTORY_MONTHS_MAX}.`)
      .meta({
        type: 'integer',
        minimum: 1,
        maximum: HISTORY_MONTHS_MAX,
        default: HISTORY_MONTHS_DEFAULT,
        description: 'The number of months for which the usage is returned.',
      })
      .optional(),
  }),
  responses: { 200: { description: 'The usage of the organization in each month.', schema: usageHistory } },
  async handle({ principal, query }, { analysisUsage, documentUsage, scanUsage }) {
    const months = query.months === undefined ? HISTORY_MONTHS_DEFAULT : Number(query.months);
    const replies = await together(
      [analysisUsage, scanUsage, documentUsage].map((service) => service.listUsageHistory({ months })),
    );
    const byPeriod = new Map<string, MeterUsage[]>();
    for (const { period, meters: counted } of replies.flatMap(({ periods }) => periods)) {
      byPeriod.set(period, [...(byPeriod.get(period) ?? []), ...counted]);
    }
    const newestFirst = [...byPeriod].toSorted(([left], [right]) => (left < right ? 1 : -1));
    // Services may begin a new month at slightly different moments, so one of them may already show the next month.
    const items = newestFirst.slice(0, months).map(([period, counted]) => shownUsage(period, counted, principal));
    return { status: 200, body: { items } satisfies z.infer<typeof usageHistory> };
  },
});

/**
 * Reads the usage from every service, together with the organization's limits.
 * @param period month of the usage; the current month if it is absent
 */
export async function readUsage(
  principal: Pick<Principal, 'limits'>,
  { analysisUsage, documentUsage, erpUsage, organizationUsage, scanUsage, webhookUsage }: TenantClients,
  period?: string,
): Promise<z.infer<typeof usage>> {
  const replies = await together(
    [analysisUsage, scanUsage, documentUsage, organizationUsage, webhookUsage, erpUsage].map((service) =>
      service.getUsage({ period }),
    ),
  );
  const counted = replies.flatMap((reply) => reply.meters);
  return shownUsage(stated(replies[0]).period, counted, principal);
}

/**
 * Returns the usage and the limit of each meter for which a service returned a count, in a fixed order of the meters.
 */
function shownUsage(
  period: string,
  counted: readonly MeterUsage[],
  { limits }: Pick<Principal, 'limits'>,
): z.infer<typeof usage> {
  const used = new Map(counted.map((one) => [one.meter, one.used]));
  return {
    period,
    items: meters.flatMap(([meter, limit]) => {
      const count = used.get(meter);
      return count === undefined ? [] : [{ meter, used: count, limit: limits?.[limit] ?? null }];
    }),
  };
}
