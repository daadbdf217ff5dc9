import type {
  FindingTypeDescription,
  GetCurrentPolicyResponse,
} from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { z } from 'zod';
import { onlyPage, pageOf } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import type { Reply } from '../../http/response/reply.js';
import { severity } from './finding-record.js';

const policy = shown.record<GetCurrentPolicyResponse>('Policy')({
  version: shown.text('version', 'default-3+0123456789ab.o0', 'As in `versions.policy` of an analysis.'),
  policy: shown.made(
    z.record(z.string(), z.unknown()).describe('Every number that decides.'),
    ({ policyJson }: GetCurrentPolicyResponse) => JSON.parse(policyJson) as Record<string, unknown>,
    { id: 'default', version: 3, thresholds: { blockScore: 80, reviewScore: 25 } },
  ),
});

const findingType = shown.record<FindingTypeDescription>('FindingType')({
  type: shown.text('type', 'AMOUNT_OUTLIER', 'Its name, as in `type` of a finding.'),
  family: shown.text('family', 'AMT', 'Types of one family describe one problem from several sides.'),
  severities: shown.made(
    z.array(severity).describe('Those it can have, least severe first.'),
    ({ severities }: FindingTypeDescription) => severities.map((name) => shown.oneOf(severity, name)),
    ['LOW', 'MEDIUM', 'HIGH'],
  ),
  hardBlock: shown.flag('isHardBlock', false, 'Whether it blocks on its own where it is CRITICAL and certain.'),
  description: shown.text(
    'description',
    'The amount is far above what the supplier usually bills.',
    'What it says, in a sentence.',
  ),
  recommendedAction: shown.textOrNull('recommendedAction', 'Check quantity, price and order.', 'What to do about it.'),
  requiredFacts: shown.field(z.array(z.string()).describe('What must be known for it to be raised.'), 'requiredFacts', [
    'SUPPLIER_HISTORY',
  ]),
  learnedTolerance: shown.flag('hasLearnedTolerance', true, 'Whether reviews may lower it for a supplier.'),
});

export const getCurrentPolicy = route({
  operation: 'getCurrentPolicy',
  method: 'get',
  path: '/policies/current',
  summary: 'Read the policy that decides now',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/GetCurrentPolicy',
  access: { scope: 'findings:read' },
  responses: { 200: { description: 'The policy.', schema: policy.schema } },
  async handle(_input, { policies }): Promise<Reply> {
    const reply = await policies.getCurrentPolicy({});
    return { status: 200, body: policy.present(reply) };
  },
});

export const listFindingTypes = route({
  operation: 'listFindingTypes',
  method: 'get',
  path: '/finding-types',
  summary: 'List every kind of finding',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/ListFindingTypes',
  access: { scope: 'findings:read' },
  responses: { 200: { description: 'The catalogue.', schema: pageOf(findingType.schema) } },
  async handle(_input, { policies }): Promise<Reply> {
    const { findingTypes } = await policies.listFindingTypes({});
    return { status: 200, body: onlyPage(findingTypes.map(findingType.present)) };
  },
});
