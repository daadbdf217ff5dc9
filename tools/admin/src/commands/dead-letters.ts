import { ResendOutcome } from '@invoicecontrol/contracts/operations/v1/operator_service';
import type { DeadLetter, ResentDeadLetter } from '@invoicecontrol/contracts/operations/v1/operator_service';
import { askEach } from '../ask-each.js';
import { UsageError } from '../command.js';
import type { Command, CommandOption, Operator, ServiceOperations } from '../command.js';
import { age, counted, ofAnswering } from '../text-output.js';

const PAGE_LETTERS = 100;
/** Maximum number of dead letters that `list` prints for one service. */
const LISTED_MAX = 1_000;
/** Number of dead letters that one call sends again. */
const BATCH_LETTERS = 10;
const RESEND_TIMEOUT_MS = 120_000;

const EXAMPLE_LETTER = `organization__finding_assigned:evt_aeymxkzbnhwxyhbbaeymxkzbnh`;

const reasonOption: CommandOption = { value: 'TEXT', description: 'the reason, for the log of the service' };

const idArgument = { value: 'ID', description: 'the id of the dead letter, as `dead-letters list` prints it' };

export const listDeadLetters: Command = {
  name: 'dead-letters list',
  summary: 'list the events that a service could not handle',
  service: 'every',
  options: {},
  examples: ['', '--service organization', '--json'],
  async run(operator) {
    const { answers, failures } = await askEach(operator, (rpc) => lettersOf(rpc, operator));
    const items = answers.flatMap(({ service, answer }) => answer.letters.map((letter) => toItem(service, letter)));
    const hasMore = answers.some(({ answer }) => answer.hasMore);
    const now = new Date();
    return {
      json: { items, hasMore },
      failures,
      sentence:
        items.length === 0
          ? `There are no dead letters${ofAnswering(failures)}.`
          : `${counted(items.length, 'dead letter')}.`,
      table: {
        columns: ['SERVICE', 'ID', 'SINCE', 'RESENT', 'ORGANIZATION', 'ERROR'],
        rows: items.map((item) => [
          item.service,
          item.deadLetterId,
          age(new Date(item.deadAt ?? now), now),
          String(item.resends),
          item.organizationId ?? '-',
          item.error,
        ]),
      },
      ...(items.length === 0
        ? {}
        : {
            note:
              `${hasMore ? `Only the first ${LISTED_MAX} of a service are shown.\n` : ''}` +
              'After correcting the cause, run dead-letters resend ID or dead-letters resend --all.',
          }),
    };
  },
};

export const showDeadLetter: Command = {
  name: 'dead-letters show',
  summary: 'show one dead letter with its event; secrets in it are masked',
  service: 'every',
  argument: { ...idArgument, isRequired: true },
  options: {},
  examples: [EXAMPLE_LETTER, `${EXAMPLE_LETTER} --json`],
  async run(operator, _given, id = '') {
    for (const { service, rpc } of operator.services) {
      const found = await orAbsent(rpc.getDeadLetter({ deadLetterId: id }, operator.call));
      if (found?.deadLetter === undefined) continue;
      const item = toItem(service, found.deadLetter);
      const event = JSON.parse(found.payloadJson) as unknown;
      return {
        json: { ...item, event },
        sentence: `The event ${item.subject} could not be handled by ${service}.`,
        values: {
          Id: item.deadLetterId,
          Since: item.deadAt ?? '',
          Organization: item.organizationId ?? 'none',
          Error: item.error,
          'Sent again': item.resends === 0 ? 'never' : `${item.resends} times, last ${item.resentAt}`,
        },
        note: JSON.stringify(event, undefined, 2),
      };
    }
    throw new Error(
      `There is no dead letter ${id}. dead-letters list shows all; a dead letter that was handled is deleted.`,
    );
  },
};

export const resendDeadLetters: Command = {
  name: 'dead-letters resend',
  summary: 'handle dead letters again, only in the service that could not handle them',
  service: 'every',
  argument: idArgument,
  options: {
    all: { description: 'every dead letter, each once' },
    reason: reasonOption,
  },
  examples: [EXAMPLE_LETTER, '--all --reason "release 1.4 reads the field"', '--all --service organization --json'],
  async run(operator, given, id) {
    if ((id === undefined) === (given['all'] === undefined)) {
      throw new UsageError('dead-letters resend needs either the ID of one dead letter or --all.');
    }
    const reason = given['reason'] ?? '';
    const { answers, failures } = await askEach(operator, (rpc, service) =>
      resendIn(operator, { rpc, service, id, reason }),
    );
    const results = answers.flatMap(({ service, answer }) => answer.map((result) => toResult(service, result)));
    // Only the service that stores a dead letter can report on it.
    const known = id === undefined ? results : results.filter(({ outcome }) => outcome !== 'NOT_FOUND');
    const failed = known.filter(({ outcome }) => outcome === 'FAILED');
    const handled = known.filter(({ outcome }) => outcome === 'HANDLED').length;
    const isGone = id !== undefined && known.length === 0 && failures.length === 0;
    return {
      json: { handled, failed: failed.length, results: known },
      sentence: isGone
        ? `There is no dead letter ${id}. It was handled before, or the id is wrong.`
        : `${counted(handled, 'dead letter')} handled, ${failed.length} failed again.`,
      table: {
        columns: ['SERVICE', 'ID', 'RESENT', 'ERROR'],
        rows: failed.map((one) => [one.service, one.deadLetterId, String(one.resends), one.error]),
      },
      failures: [
        ...failures,
        ...(isGone ? [`No dead letter was sent again. dead-letters list shows all.`] : []),
        ...(failed.length > 0
          ? [
              `${counted(failed.length, 'dead letter')} failed again and will stay stored. dead-letters show ID prints the event.`,
            ]
          : []),
      ],
    };
  },
};

type Rpc = ServiceOperations['rpc'];

/** Returns the dead letters of a service, at most {@link LISTED_MAX}. */
async function lettersOf(
  rpc: Rpc,
  { call }: Pick<Operator, 'call'>,
): Promise<{ letters: readonly DeadLetter[]; hasMore: boolean }> {
  const letters: DeadLetter[] = [];
  let pageToken = '';
  do {
    const page = await rpc.listDeadLetters({ pageSize: PAGE_LETTERS, pageToken }, call);
    letters.push(...page.deadLetters);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && letters.length < LISTED_MAX);
  return { letters, hasMore: pageToken !== '' };
}

/**
 * Sends one dead letter again, or all dead letters of the service page by page. The next page begins after the last
 * dead letter that was read, so dead letters that fail again are not read twice.
 */
async function resendIn(
  { call, report }: Operator,
  { rpc, service, id, reason }: { rpc: Rpc; service: string; id: string | undefined; reason: string },
): Promise<readonly ResentDeadLetter[]> {
  const patient = { ...call, timeoutMs: RESEND_TIMEOUT_MS };
  if (id !== undefined) return (await rpc.resendDeadLetters({ deadLetterIds: [id], reason }, patient)).results;
  const results: ResentDeadLetter[] = [];
  let pageToken = '';
  do {
    const page = await rpc.listDeadLetters({ pageSize: BATCH_LETTERS, pageToken }, call);
    const deadLetterIds = page.deadLetters.map(({ deadLetterId }) => deadLetterId);
    if (deadLetterIds.length > 0) {
      results.push(...(await rpc.resendDeadLetters({ deadLetterIds, reason }, patient)).results);
      report(`${service}: ${counted(results.length, 'dead letter')} sent again`);
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return results;
}

async function orAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && 'kind' in error && error.kind === 'not_found') return undefined;
    throw error;
  }
}

function toItem(service: string, { deadTime, resentTime, organizationId, ...letter }: DeadLetter) {
  return {
    service,
    deadLetterId: letter.deadLetterId,
    subject: letter.subject,
    organizationId: organizationId === '' ? null : organizationId,
    error: letter.error,
    deadAt: deadTime?.toISOString() ?? null,
    resends: letter.resends,
    resentAt: resentTime?.toISOString() ?? null,
  };
}

const outcomes = {
  [ResendOutcome.HANDLED]: 'HANDLED',
  [ResendOutcome.FAILED]: 'FAILED',
  [ResendOutcome.NOT_FOUND]: 'NOT_FOUND',
} as const;

function toResult(service: string, { deadLetterId, outcome, error, resends }: ResentDeadLetter) {
  const name = outcome in outcomes ? outcomes[outcome as keyof typeof outcomes] : 'FAILED';
  return { service, deadLetterId, outcome: name, error, resends };
}
