import type { FindingTypeDescription } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { z } from 'zod';
import { examples } from '../../http/description/examples.js';
import { onlyPage, pageOf } from '../../http/description/pagination.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { severity } from './finding-record.js';

const policy = z
  .object({
    version: z.string().describe('As in `versions.policy` of an analysis.'),
    policy: z.record(z.string(), z.unknown()).describe('Every number that decides.'),
  })
  .meta({ id: 'Policy' })
  .register(examples, {
    example: {
      version: 'default-3+0123456789ab.o0',
      policy: { id: 'default', version: 3, thresholds: { blockScore: 80, reviewScore: 25 } },
    },
  });

const findingType = z
  .object({
    type: z.string().describe('Its name, as in `type` of a finding.'),
    family: z.string().describe('Types of one family describe one problem from several sides.'),
    severities: z.array(severity).describe('Those it can have, least severe first.'),
    hardBlock: z.boolean().describe('Whether it blocks on its own where it is CRITICAL and certain.'),
    description: z.string().describe('What it says, in a sentence.'),
    recommendedAction: z.string().nullable().describe('What to do about it.'),
    requiredFacts: z.array(z.string()).describe('What must be known for it to be raised.'),
    learnedTolerance: z.boolean().describe('Whether reviews may lower it for a supplier.'),
  })
  .meta({ id: 'FindingType' })
  .register(examples, {
    example: {
      type: 'AMOUNT_OUTLIER',
      family: 'AMT',
      severities: ['LOW', 'MEDIUM', 'HIGH'],
      hardBlock: false,
      description: 'The amount is far above what the supplier usually bills.',
      recommendedAction: 'Check quantity, price and order.',
      requiredFacts: ['SUPPLIER_HISTORY'],
      learnedTolerance: true,
    },
  });

export const getCurrentPolicy = route({
  operation: 'getCurrentPolicy',
  method: 'get',
  path: '/policies/current',
  summary: 'Read the policy that decides now',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/GetCurrentPolicy',
  access: { scope: 'findings:read' },
  responses: { 200: { description: 'The policy.', schema: policy } },
  async handle(_input, { policies }): Promise<Reply> {
    const reply = await policies.getCurrentPolicy({});
    return {
      status: 200,
      body: { version: reply.version, policy: policy.shape.policy.parse(JSON.parse(reply.policyJson)) },
    };
  },
});

export const listFindingTypes = route({
  operation: 'listFindingTypes',
  method: 'get',
  path: '/finding-types',
  summary: 'List every kind of finding',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/ListFindingTypes',
  access: { scope: 'findings:read' },
  responses: { 200: { description: 'The catalogue.', schema: pageOf(findingType) } },
  async handle(_input, { policies }): Promise<Reply> {
    const { findingTypes } = await policies.listFindingTypes({});
    return { status: 200, body: onlyPage(findingTypes.map(presentType)) };
  },
});

function presentType(message: FindingTypeDescription): z.infer<typeof findingType> {
  return {
    type: message.type,
    family: message.family,
    severities: message.severities.map((name) => severity.parse(name)),
    hardBlock: message.isHardBlock,
    description: message.description,
    recommendedAction: message.recommendedAction ?? null,
    requiredFacts: message.requiredFacts,
    learnedTolerance: message.hasLearnedTolerance,
  };
}
