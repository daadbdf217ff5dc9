import type { ReviewFindingResponse } from '@invoicecontrol/contracts/analysis/v1/finding_service';
import { DomainError, isTemporary } from '@invoicecontrol/errors';
import { z } from 'zod';
import { EXAMPLE_IDS, exampleOf, examples } from '../../http/description/examples.js';
import { stated, uuid } from '../../http/description/fields.js';
import { route } from '../../http/description/route.js';
import { adviceFor } from '../../http/response/advice.js';
import { answerTo } from '../../http/response/envelope.js';
import { assignmentFields, reviewFields } from './findings.js';
import { finding } from './finding-record.js';

/** Maximum number of findings that one request changes. */
const FINDINGS_MAX = 100;
/** Number of findings of a request that are changed at the same time. */
const CONCURRENCY = 4;

const findingIds = z
  .array(uuid())
  .min(1)
  .max(FINDINGS_MAX)
  .describe('The ids of the findings to change. An id that occurs twice is changed once.');

const item = z
  .object({
    id: z.string().meta({ format: 'uuid' }).describe('The id of the finding to which the result applies.'),
    outcome: z
      .enum(['CHANGED', 'UNCHANGED', 'REFUSED'])
      .describe(
        'The outcome for the finding: CHANGED, UNCHANGED (the finding already was as requested) or REFUSED (see `error`).',
      ),
    error: z
      .object({
        code: z
          .string()
          .describe('The error code that explains the refusal. The codes are the same as in error responses.'),
        message: z.string().describe('The message that explains the refusal and what must be changed.'),
      })
      .nullable()
      .describe('The reason why the change of the finding was refused or failed, or null if it succeeded.'),
    finding: finding.schema.nullable().describe('The finding after the request, or null if there is an error.'),
  })
  .meta({ id: 'FindingBatchItem' });

const result = z
  .object({
    items: z.array(item).max(FINDINGS_MAX).describe('The result for each finding, in the order of the request.'),
  })
  .meta({ id: 'FindingBatchResult' })
  .register(examples, {
    example: {
      items: [{ id: EXAMPLE_IDS.finding, outcome: 'CHANGED', error: null, finding: exampleOf(finding.schema) }],
    },
  });

const BATCH =
  'Each finding is changed independently, so a refused change does not affect the other findings. The response is 200 even if every change is refused; see the outcome of each finding. A retried request leaves findings that were already changed as they are.';
/**
 * Advice for a finding whose change failed without a response from the service. A request that changes only one finding
 * gets the same advice.
 */
const ADVICE = adviceFor({ method: 'post' }, '');

export const reviewFindings = route({
  operation: 'reviewFindings',
  method: 'post',
  path: '/findings/reviews',
  summary: 'Record a disposition on up to 100 findings',
  description: BATCH,
  rpc: 'invoicecontrol.analysis.v1.FindingService/ReviewFinding',
  access: { scope: 'findings:review' },
  timeoutMs: 10_000,
  body: z
    .strictObject({ finding_ids: findingIds, ...reviewFields })
    .meta({ id: 'FindingReviews' })
    .register(examples, {
      example: { finding_ids: [EXAMPLE_IDS.finding], disposition: 'CONFIRMED', expected_disposition: 'OPEN' },
    }),
  responses: { 200: { description: 'The result for each finding.', schema: result } },
  async handle({ body }, { findings }) {
    const { finding_ids: ids, disposition, note, expected_disposition: expectedDisposition } = body;
    return changeEach(ids, (findingId) =>
      findings.reviewFinding({ findingId, disposition, note: note?.trim(), expectedDisposition }),
    );
  },
});

export const assignFindings = route({
  operation: 'assignFindings',
  method: 'patch',
  path: '/findings/assignments',
  summary: 'Assign up to 100 findings to a member, or remove their assignments',
  description: BATCH,
  rpc: 'invoicecontrol.analysis.v1.FindingService/AssignFinding',
  access: { minimumRole: 'ANALYST', scope: 'findings:assign' },
  timeoutMs: 10_000,
  body: z
    .strictObject({ finding_ids: findingIds, ...assignmentFields })
    .meta({ id: 'FindingAssignments' })
    .register(examples, {
      example: { finding_ids: [EXAMPLE_IDS.finding], assignee_user_id: EXAMPLE_IDS.assignee },
    }),
  responses: { 200: { description: 'The result for each finding.', schema: result } },
  async handle({ body }, { findings }) {
    const { finding_ids: ids, assignee_user_id: assigneeUserId } = body;
    return changeEach(ids, (findingId) =>
      findings.assignFinding({ findingId, assigneeUserId: assigneeUserId ?? undefined }),
    );
  },
});

type Change = (findingId: string) => Promise<ReviewFindingResponse>;
type Outcome = { readonly id: string } & ({ readonly reply: ReviewFindingResponse } | { readonly error: DomainError });

/**
 * Changes several findings, a few at a time. The refusal of one finding does not affect the others.
 * @throws DomainError if no change of a finding got a response, so that there is no outcome to show
 */
async function changeEach(ids: readonly string[], change: Change) {
  const outcomes: Outcome[] = [];
  const distinct = [...new Set(ids)];
  for (let from = 0; from < distinct.length; from += CONCURRENCY) {
    outcomes.push(...(await Promise.all(distinct.slice(from, from + CONCURRENCY).map((id) => changeOne(id, change)))));
  }
  const failures = outcomes.flatMap((outcome) => ('error' in outcome && isFailure(outcome.error) ? outcome.error : []));
  if (failures[0] !== undefined && failures.length === outcomes.length) throw failures[0];
  return { status: 200, body: { items: outcomes.map(present) } satisfies z.infer<typeof result> };
}

/**
 * Checks whether an error is a failure of the service, such as an outage, and not a refusal of the change to a finding.
 */
function isFailure(error: DomainError): boolean {
  return error.kind === 'internal' || isTemporary(error);
}

async function changeOne(id: string, change: Change): Promise<Outcome> {
  try {
    return { id, reply: await change(id) };
  } catch (error) {
    if (error instanceof DomainError) return { id, error };
    throw error;
  }
}

function present(outcome: Outcome): z.infer<typeof item> {
  const { id } = outcome;
  if ('error' in outcome) {
    const { code, message } = answerTo(outcome.error, '', ADVICE).body.error;
    return { id, outcome: 'REFUSED', error: { code, message }, finding: null };
  }
  const { reply } = outcome;
  const after = finding.present(stated(reply.finding));
  return { id, outcome: reply.changed ? 'CHANGED' : 'UNCHANGED', error: null, finding: after };
}
