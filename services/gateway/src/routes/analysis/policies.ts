import type {
  FindingTypeDescription,
  GetCurrentPolicyResponse,
} from '@invoicecontrol/contracts/analysis/v1/policy_service';
import { z } from 'zod';
import { onlyPage, pageOf } from '../../http/description/pagination.js';
import * as shown from '../../http/description/shown.js';
import { route } from '../../http/description/route.js';
import { severity } from './finding-record.js';

const policy = shown.record<GetCurrentPolicyResponse>('Policy')({
  version: shown.text(
    'default-3+0123456789ab.o0',
    'The version of the detection policy, as shown in `versions.policy` of an analysis.',
  ),
  policy: shown.made(
    z
      .record(z.string(), z.unknown())
      .describe('The thresholds and other values of the detection policy that determine the decisions about invoices.'),
    ({ policyJson }: GetCurrentPolicyResponse) => JSON.parse(policyJson) as Record<string, unknown>,
    { id: 'default', version: 3, thresholds: { blockScore: 80, reviewScore: 25 } },
  ),
});

const findingType = shown.record<FindingTypeDescription>('FindingType')({
  type: shown.text('AMOUNT_OUTLIER', 'The name of the finding type, as shown in `type` of a finding.'),
  family: shown.text(
    'AMT',
    'The family of the finding type. Types of the same family describe different aspects of the same problem.',
  ),
  severities: shown.made(
    z.array(severity).describe('The severities that findings of this type can have, least severe first.'),
    ({ severities }: FindingTypeDescription) => severities.map((name) => shown.oneOf(severity, name)),
    ['LOW', 'MEDIUM', 'HIGH'],
  ),
  hardBlock: shown.flag(
    false,
    'Whether a single finding of this type can block an invoice, if its severity is CRITICAL and its confidence is high enough.',
    'isHardBlock',
  ),
  description: shown.text(
    'The amount of the invoice is far above what the supplier usually bills.',
    'A one-sentence description of the finding type.',
  ),
  recommendedAction: shown.textOrNull(
    'Check the quantity and the price on the invoice, and its purchase order; {comparison}.',
    'The recommended action for findings of this type, or null if there is none.',
  ),
  requiredFacts: shown.field(
    z.array(z.string()).describe('The facts that must be known before a finding of this type can be raised.'),
    ['SUPPLIER_HISTORY'],
  ),
  learnedTolerance: shown.flag(
    true,
    'Whether reviews that dismiss findings of this type can lower the severity of later findings about the same supplier.',
    'hasLearnedTolerance',
  ),
});

export const getCurrentPolicy = route({
  operation: 'getCurrentPolicy',
  method: 'get',
  path: '/policies/current',
  summary: 'Read the current detection policy',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/GetCurrentPolicy',
  access: { scope: 'findings:read' },
  responses: { 200: { description: 'The current detection policy of the organization.', schema: policy.schema } },
  async handle(_input, { policies }) {
    const reply = await policies.getCurrentPolicy({});
    return { status: 200, body: policy.present(reply) };
  },
});

export const listFindingTypes = route({
  operation: 'listFindingTypes',
  method: 'get',
  path: '/finding-types',
  summary: 'List all finding types',
  rpc: 'invoicecontrol.analysis.v1.PolicyService/ListFindingTypes',
  access: { scope: 'findings:read' },
  responses: {
    200: {
      description: 'All types of findings that the product can raise.',
      schema: pageOf('finding types', findingType.schema),
    },
  },
  async handle(_input, { policies }) {
    const { findingTypes } = await policies.listFindingTypes({});
    return { status: 200, body: onlyPage(findingTypes.map(findingType.present)) };
  },
});
