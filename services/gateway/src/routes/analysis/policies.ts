import type { FindingTypeDescription } from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { z } from 'zod';
import { page, pageOf } from '../../http/pagination.js';
import { route } from '../../http/route.js';
import type { Reply } from '../../http/route.js';
import { severity } from './finding-record.js';

const policy = z
  .object({
    version: z.string().meta({ description: 'As in `versions.policy` of an analysis.' }),
    policy: z.record(z.string(), z.unknown()).meta({ description: 'Every number that decides.' }),
  })
  .meta({ id: 'Policy' });

const findingType = z
  .object({
    type: z.string(),
    family: z.string(),
    severities: z.array(severity).meta({ description: 'Those it can have, least severe first.' }),
    hardBlock: z.boolean().meta({ description: 'Blocks on its own where it is CRITICAL and certain.' }),
    description: z.string(),
    recommendedAction: z.string().nullable(),
    requiredFacts: z.array(z.string()),
    learnedTolerance: z.boolean().meta({ description: 'Whether reviews may lower it for a supplier.' }),
  })
  .meta({ id: 'FindingType' });

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
    return { status: 200, body: page(findingTypes.map(presentType), '') };
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
